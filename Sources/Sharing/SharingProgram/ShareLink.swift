package import HTTPTransfer
import LocationInterface
package import LocationSharing
import NIOPosix

/// The connection to a destination: builds requests and judges answers.
package final class ShareLink: Sendable {
    package let destination: Destination
    private let access: ServiceAccess
    private let transfer: HTTPTransfer
    /// One thread for all messages: with a thread for each, OpenSSL seeds its random numbers again each time, which takes half of
    /// the time of a request.
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// A link to a destination with the text of its URL and key.
    ///
    /// - Parameter timeout: the time for a whole request.
    package init(
        _ destination: Destination, _ text: String, timeout: Duration = .seconds(30)
    ) throws(InvalidServiceURL) {
        self.destination = destination
        access = try ServiceAccess(text, of: destination.service, allowsPlain: destination.allowsPlain)
        var settings = HTTPTransfer.Settings()
        settings.timeout = timeout
        settings.ignoresProxies = true
        settings.isPrivateOnly = access.address.isPlain
        if let pin = destination.pin {
            settings.trust = .pin(pin)
        } else if let file = destination.authorities {
            settings.trust = .authorities(file)
        }
        transfer = HTTPTransfer(settings)
        thread.start()
    }

    deinit { thread.shutdownGracefully { _ in } }

    /// Sends a message in the link's own thread, and then calls `completion` there.
    package func send(
        _ message: ShareMessage, _ terms: MessageTerms, _ cancellation: HTTPTransfer.Cancellation,
        completion: @escaping @Sendable (ShareMachine.Outcome?) -> Void
    ) {
        // The pool ends with the link, which this keeps.
        thread.submit { _ in completion(self.send(message, cancellation)) }
    }

    /// Sends a message and waits for the answer, which blocks the thread; `nil` if the service has none for it.
    package func send(_ message: ShareMessage, _ cancellation: HTTPTransfer.Cancellation) -> ShareMachine.Outcome? {
        guard let request = ShareRequest(message, to: destination, access, version: serviceVersion) else { return nil }
        let isTest = if case .test = message { true } else { false }
        do throws(TransferFailure) {
            let answer = try transfer.perform(
                HTTPRequest(url: request.url, headers: request.headers, body: request.body), cancellation)
            return .answered(
                ShareAnswer.verdict(
                    of: destination.service, isTest: isTest, status: answer.status, body: answer.body,
                    retryAfter: answer.retryAfter,
                    redirect: answer.redirect, origin: access.address.origin))
        } catch {
            return outcome(of: error)
        }
    }

    private func outcome(of failure: TransferFailure) -> ShareMachine.Outcome {
        let message = failure.message(of: access.address.server)
        return switch failure {
        case .cancelled: .cancelled
        case .untrusted:
            // The network of a captive portal looks the same, and is left again.
            .failed("\(message). If the server has a certificate of your own, add it with --ca FILE or --pin KEY.")
        case .wrongPin:
            .failed("\(message). Nothing was sent. If the server has a new key, add it again with --pin KEY.")
        // Of another network's name server. Nothing was sent.
        case .notPrivate: .answered(.doubtful("\(message)."))
        case .other where destination.service == .traccar:
            .answered(
                .unclear("\(message). Traccar closes the connection for a device that is disabled or has expired."))
        default: .failed("\(message).")
        }
    }
}
