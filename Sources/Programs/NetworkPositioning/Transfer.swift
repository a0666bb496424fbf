import HTTPTransfer
import WiFiPositioning

extension HTTPTransfer {
    /// Requests of a positioning server.
    ///
    /// - Parameters:
    ///   - authorities: the file with the certificates of the authorities to trust, instead of the system's. For tests.
    ///   - timeout: the time for the whole request.
    convenience init(authorities: String?, timeout: Duration) {
        var settings = Settings()
        if let authorities { settings.trust = .authorities(authorities) }
        (settings.timeout, settings.connectionTimeout) = (timeout, timeout)
        settings.maximumSize = GeolocateAnswer.maximumSize
        self.init(settings)
    }

    /// Sends a request and waits for the answer.
    func perform(
        _ request: GeolocateRequest, _ cancellation: Cancellation
    ) throws(PositioningFailure) -> HTTPAnswer {
        let plain = HTTPRequest(url: request.server.url, headers: request.headers, body: Array(request.body.utf8))
        do throws(TransferFailure) {
            return try perform(plain, cancellation)
        } catch {
            throw PositioningFailure(error, of: request.server)
        }
    }
}

extension PositioningFailure {
    fileprivate init(_ failure: TransferFailure, of server: ServerAddress) {
        let reason: Reason =
            switch failure {
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .untrusted, .wrongPin, .noTLS: .untrusted
            case .unresolvable, .unreachable, .notPrivate, .cancelled, .other: .unreachable
            }
        self.init(reason, failure.message(of: server.name))
    }
}
