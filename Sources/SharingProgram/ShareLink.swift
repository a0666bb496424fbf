package import HTTPTransfer
import LocationInterface
package import LocationSharing

/// The connection to a destination: builds requests and judges answers.
package struct ShareLink: Sendable {
    /// The destination.
    package let destination: Destination
    private let url: ServiceURL
    private let transfer: HTTPTransfer

    /// A link to a destination with the text of its URL.
    ///
    /// - Parameter timeout: the time for a whole request.
    package init(
        _ destination: Destination, url: String, timeout: Duration = .seconds(30)
    ) throws(InvalidServiceURL) {
        self.destination = destination
        self.url = try ServiceURL(url, of: destination.service, allowsPlain: destination.allowsPlain)
        var settings = HTTPTransfer.Settings()
        settings.timeout = timeout
        settings.ignoresProxies = true
        settings.isPrivateOnly = self.url.isPlain
        if let pin = destination.pin {
            settings.trust = .pin(pin)
        } else if let file = destination.authorities {
            settings.trust = .authorities(file)
        }
        transfer = HTTPTransfer(settings)
    }

    /// Sends a message and waits for the answer, which blocks the thread.
    package func send(_ message: ShareMessage, _ cancellation: HTTPTransfer.Cancellation) -> ShareMachine.Outcome {
        let request = HTTPRequest(
            url: url.secret,
            headers: OwnTracksMessage.headers(
                user: destination.user, device: destination.device, version: serviceVersion),
            body: OwnTracksMessage.body(message))
        do throws(TransferFailure) {
            let answer = try transfer.perform(request, cancellation)
            return .answered(
                HomeAssistantAnswer.verdict(
                    status: answer.status, body: answer.body, retryAfter: answer.retryAfter, redirect: answer.redirect,
                    origin: url.origin))
        } catch {
            return Self.outcome(of: error, server: url.server)
        }
    }

    private static func outcome(of failure: TransferFailure, server: String) -> ShareMachine.Outcome {
        let message = failure.message(of: server)
        return switch failure {
        case .cancelled: .cancelled
        case .untrusted:
            // The network of a captive portal looks the same, and is left again.
            .failed("\(message). If the server has a certificate of your own, add it with --ca FILE or --pin KEY.")
        case .wrongPin:
            .failed("\(message). Nothing was sent. If the server has a new key, add it again with --pin KEY.")
        case .notPrivate: .answered(.wrong("\(message)."))
        default: .failed("\(message).")
        }
    }
}
