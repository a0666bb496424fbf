import CCurl
import Glibc
import Synchronization

/// Requests over HTTPS to one server, one at a time, by libcurl: no redirection, no cookies, nothing on disk.
///
/// The connection is kept for the next request, as long as the object lives.
///
/// `@unchecked Sendable` because libcurl's handle is used under the lock only.
package final class HTTPTransfer: @unchecked Sendable {
    /// The servers that are trusted.
    package enum Trust: Hashable, Sendable {
        /// Servers with a certificate of the system's authorities.
        case system
        /// Servers with a certificate of the authorities in this file.
        case authorities(String)
        /// The server with this key (`sha256//…`), whatever its certificate says.
        case pin(String)
    }

    /// Ends a request from another thread, within a second.
    package final class Cancellation: Sendable {
        private let flag = Atomic(false)

        package init() {}

        package func cancel() { flag.store(true, ordering: .relaxed) }

        /// True after ``cancel()``.
        package var isCancelled: Bool { flag.load(ordering: .relaxed) }
    }

    /// The settings of all requests.
    package struct Settings: Sendable {
        /// The servers that are trusted.
        package var trust = Trust.system
        /// The time for a connection; that for the whole request if that is shorter.
        package var connectionTimeout = Duration.seconds(10)
        /// The time for the whole request.
        package var timeout = Duration.seconds(10)
        /// The longest answer that is read, in bytes.
        package var maximumSize = 65_536
        /// True to connect to loopback, link-local and private addresses only, judged by the address and not by the name.
        package var isPrivateOnly = false
        /// True to ignore the proxies that the environment names.
        package var ignoresProxies = false

        package init() {}
    }

    /// The state of libcurl's callbacks.
    private final class Reception {
        var body: [UInt8] = []
        var isTooLarge = false
        var isNotPrivate = false
        let maximumSize: Int
        let cancellation: Cancellation

        init(_ maximumSize: Int, _ cancellation: Cancellation) {
            (self.maximumSize, self.cancellation) = (maximumSize, cancellation)
        }
    }

    private let settings: Settings
    private let lock = Mutex(())
    private var handle: UnsafeMutableRawPointer?

    /// Requests with these settings.
    package init(_ settings: Settings) { self.settings = settings }

    deinit {
        if let handle { curl_easy_cleanup(handle) }
    }

    /// Sends a request and waits for the answer, which blocks the thread.
    package func perform(
        _ request: HTTPRequest, _ cancellation: Cancellation
    ) throws(TransferFailure) -> HTTPAnswer {
        try lock.withLock { _ throws(TransferFailure) in
            if handle == nil { handle = curl_easy_init() }
            guard let handle else { throw .other("libcurl cannot be used") }
            // Keeps the connection.
            curl_easy_reset(handle)
            return try perform(request, on: handle, Reception(settings.maximumSize, cancellation))
        }
    }

    private func perform(
        _ request: HTTPRequest, on curl: UnsafeMutableRawPointer, _ reception: Reception
    ) throws(TransferFailure) -> HTTPAnswer {
        var headers: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(headers) }
        for header in request.headers { headers = curl_slist_append(headers, header) }
        let body = request.body.map { CChar(bitPattern: $0) }
        let code = body.withUnsafeBufferPointer { bytes in
            configure(curl, request, bytes, headers, reception) ?? curl_easy_perform(curl)
        }
        if code != CURLE_OK { throw failure(code, reception) }
        let retryAfter = Int(locationd_curl_retry_after(curl))
        return HTTPAnswer(
            status: locationd_curl_status(curl), body: reception.body, retryAfter: retryAfter > 0 ? retryAfter : nil,
            redirect: locationd_curl_redirect(curl).map { String(cString: $0) })
    }

    /// Sets all options. Returns the first error.
    private func configure(
        _ curl: UnsafeMutableRawPointer, _ request: HTTPRequest, _ body: UnsafeBufferPointer<CChar>,
        _ headers: UnsafeMutablePointer<curl_slist>?, _ reception: Reception
    ) -> CURLcode? {
        let context = Unmanaged.passUnretained(reception).toOpaque()
        let milliseconds = Int(settings.timeout / .milliseconds(1))
        var isPinned = false
        if case .pin = settings.trust { isPinned = true }
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_POSTFIELDSIZE, body.count), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_TIMEOUT_MS, milliseconds),
            (CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, Int(settings.connectionTimeout / .milliseconds(1)))),
            (CURLOPT_MAXFILESIZE, settings.maximumSize), (CURLOPT_NOSIGNAL, 1), (CURLOPT_NOPROGRESS, 0),
            // The pinned key says more than a chain.
            (CURLOPT_SSL_VERIFYPEER, isPinned ? 0 : 1), (CURLOPT_SSL_VERIFYHOST, isPinned ? 0 : 2),
            (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1), (CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
        ]
        for (option, number) in numbers {
            let code = locationd_curl_set_number(curl, option, number)
            if code != CURLE_OK { return code }
        }
        let codes = [
            locationd_curl_set_text(curl, CURLOPT_URL, request.url),
            locationd_curl_set_text(curl, CURLOPT_PROTOCOLS_STR, "http,https"),
            // Not copied, and of the given size.
            locationd_curl_set_text(curl, CURLOPT_POSTFIELDS, body.baseAddress),
            locationd_curl_set_headers(curl, headers),
            settings.ignoresProxies ? locationd_curl_set_text(curl, CURLOPT_PROXY, "") : CURLE_OK,
            trust(curl), receive(curl, context),
            settings.isPrivateOnly ? connectPrivately(curl, context) : CURLE_OK,
        ]
        return codes.first { $0 != CURLE_OK }
    }

    private func trust(_ curl: UnsafeMutableRawPointer) -> CURLcode {
        switch settings.trust {
        case .system: CURLE_OK
        case .authorities(let file): locationd_curl_set_text(curl, CURLOPT_CAINFO, file)
        case .pin(let pin): locationd_curl_set_text(curl, CURLOPT_PINNEDPUBLICKEY, pin)
        }
    }

    private func receive(_ curl: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer) -> CURLcode {
        let code = locationd_curl_set_write(
            curl,
            { bytes, _, count, context in
                guard let bytes, let context else { return 0 }
                let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
                guard reception.body.count + count <= reception.maximumSize else {
                    reception.isTooLarge = true
                    return 0
                }
                reception.body += UnsafeRawBufferPointer(start: bytes, count: count)
                return count
            }, context)
        guard code == CURLE_OK else { return code }
        return locationd_curl_set_progress(
            curl,
            { context, _, _, _, _ in
                guard let context else { return 1 }
                return Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue().cancellation.isCancelled ? 1 : 0
            }, context)
    }

    /// Has each connection refused that does not lead to a private address.
    private func connectPrivately(
        _ curl: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
    ) -> CURLcode {
        locationd_curl_set_open_socket(
            curl,
            { context, _, address in
                guard let context, let address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else {
                    return -1
                }
                let bytes = UnsafeRawBufferPointer(
                    start: UnsafeRawPointer(address) + offset, count: Int(address.pointee.addrlen))
                guard PrivateAddress.contains(socketAddress: bytes) else {
                    Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue().isNotPrivate = true
                    return -1
                }
                let type = address.pointee.socktype | CInt(SOCK_CLOEXEC.rawValue)
                return socket(address.pointee.family, type, address.pointee.protocol)
            }, context)
    }

    private func failure(_ code: CURLcode, _ reception: Reception) -> TransferFailure {
        if reception.isNotPrivate { return .notPrivate }
        if reception.isTooLarge { return .tooLarge(settings.maximumSize) }
        return switch code {
        case CURLE_COULDNT_RESOLVE_HOST: .unresolvable
        case CURLE_COULDNT_CONNECT: .unreachable
        case CURLE_OPERATION_TIMEDOUT: .timeout(settings.timeout)
        case CURLE_FILESIZE_EXCEEDED: .tooLarge(settings.maximumSize)
        case CURLE_PEER_FAILED_VERIFICATION: .untrusted
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .wrongPin
        case CURLE_SSL_CONNECT_ERROR: .noTLS
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        default: .other(String(cString: curl_easy_strerror(code)))
        }
    }
}
