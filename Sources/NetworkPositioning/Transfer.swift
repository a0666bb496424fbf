import CCurl
import Glibc
import Synchronization
import WiFiPositioning

/// One request over HTTPS, by libcurl: no redirection, no cookies, nothing on disk.
struct Transfer {
    /// The answer of a server.
    struct Answer {
        var status: Int
        var body: [UInt8]
        /// The time after which the server wants to be asked again, in seconds.
        var retryAfter: Int?
    }

    /// Ends a request from another thread, within a second.
    final class Cancellation: Sendable {
        private let flag = Atomic(false)

        func cancel() { flag.store(true, ordering: .relaxed) }

        fileprivate var isCancelled: Bool { flag.load(ordering: .relaxed) }
    }

    /// The state of libcurl's callbacks.
    private final class Reception {
        var body: [UInt8] = []
        var isTooLarge = false
        let cancellation: Cancellation

        init(_ cancellation: Cancellation) { self.cancellation = cancellation }
    }

    /// The time for the whole request.
    static let timeout = Duration.seconds(10)

    /// The file with the certificates of the authorities to trust, instead of the system's. For tests.
    var authorities: String?
    /// The time for the whole request.
    var timeout = Self.timeout

    /// Sends a request and waits for the answer.
    func perform(_ request: GeolocateRequest, _ cancellation: Cancellation) throws(PositioningFailure) -> Answer {
        guard let curl = curl_easy_init() else { throw PositioningFailure(.unreachable, "libcurl cannot be used") }
        defer { curl_easy_cleanup(curl) }
        let reception = Reception(cancellation)
        var headers: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(headers) }
        for header in request.headers { headers = curl_slist_append(headers, header) }
        let code = request.body.withCString { body in
            configure(curl, request, body, headers, reception) ?? curl_easy_perform(curl)
        }
        if code != CURLE_OK { throw failure(code, reception, of: request.server) }
        let retryAfter = Int(locationd_curl_retry_after(curl))
        return Answer(
            status: locationd_curl_status(curl), body: reception.body, retryAfter: retryAfter > 0 ? retryAfter : nil)
    }

    /// Sets all options. Returns the first error.
    private func configure(
        _ curl: UnsafeMutableRawPointer, _ request: GeolocateRequest, _ body: UnsafePointer<CChar>,
        _ headers: UnsafeMutablePointer<curl_slist>?, _ reception: Reception
    ) -> CURLcode? {
        let context = Unmanaged.passUnretained(reception).toOpaque()
        let milliseconds = Int(timeout / .milliseconds(1))
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_POSTFIELDSIZE, request.body.utf8.count), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_TIMEOUT_MS, milliseconds), (CURLOPT_CONNECTTIMEOUT_MS, milliseconds),
            (CURLOPT_MAXFILESIZE, GeolocateAnswer.maximumSize), (CURLOPT_NOSIGNAL, 1), (CURLOPT_NOPROGRESS, 0),
            (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1), (CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
        ]
        for (option, number) in numbers {
            let code = locationd_curl_set_number(curl, option, number)
            if code != CURLE_OK { return code }
        }
        let codes = [
            locationd_curl_set_text(curl, CURLOPT_URL, request.server.url),
            // Not copied, and of the given size.
            locationd_curl_set_text(curl, CURLOPT_POSTFIELDS, body),
            locationd_curl_set_headers(curl, headers),
            authorities.map { locationd_curl_set_text(curl, CURLOPT_CAINFO, $0) } ?? CURLE_OK,
            locationd_curl_set_write(
                curl,
                { bytes, _, count, context in
                    guard let bytes, let context else { return 0 }
                    let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
                    guard reception.body.count + count <= GeolocateAnswer.maximumSize else {
                        reception.isTooLarge = true
                        return 0
                    }
                    reception.body += UnsafeRawBufferPointer(start: bytes, count: count)
                    return count
                }, context),
            locationd_curl_set_progress(
                curl,
                { context, _, _, _, _ in
                    guard let context else { return 1 }
                    return Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue().cancellation.isCancelled
                        ? 1 : 0
                }, context),
        ]
        return codes.first { $0 != CURLE_OK }
    }

    private func failure(_ code: CURLcode, _ reception: Reception, of server: ServerAddress) -> PositioningFailure {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: PositioningFailure(.unreachable, "The name of \(server) cannot be resolved")
        case CURLE_COULDNT_CONNECT: PositioningFailure(.unreachable, "\(server) cannot be reached")
        case CURLE_OPERATION_TIMEDOUT:
            PositioningFailure(.timeout, "\(server) did not answer within \(timeout / .seconds(1)) s")
        case _ where code == CURLE_FILESIZE_EXCEEDED || reception.isTooLarge:
            PositioningFailure(.tooLarge, "\(server) answered with more than \(GeolocateAnswer.maximumSize) bytes")
        case CURLE_PEER_FAILED_VERIFICATION:
            PositioningFailure(
                .untrusted,
                "The certificate of \(server) is not valid here: expired, for another name or of an unknown authority, as in "
                    + "the network of a captive portal")
        case CURLE_SSL_CONNECT_ERROR: PositioningFailure(.untrusted, "\(server) does not speak TLS 1.2 or later")
        case CURLE_ABORTED_BY_CALLBACK: PositioningFailure(.unreachable, "The request was cancelled")
        default:
            PositioningFailure(.unreachable, "\(server) cannot be asked: \(String(cString: curl_easy_strerror(code)))")
        }
    }
}
