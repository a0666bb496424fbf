/// The reason why a request has got no answer.
package enum TransferFailure: Error, Hashable, Sendable {
    /// The server's name cannot be resolved.
    case unresolvable
    /// No connection could be made.
    case unreachable
    /// There was no answer within this time.
    case timeout(Duration)
    /// The answer was longer than this number of bytes.
    case tooLarge(Int)
    /// The certificate is not trusted.
    case untrusted
    /// The server's key is not the pinned one.
    case wrongPin
    /// The server does not speak TLS 1.2 or later.
    case noTLS
    /// The connection would have led to an address outside private networks.
    case notPrivate
    /// The request was cancelled.
    case cancelled
    /// Another failure, in libcurl's words, which name no URL.
    case other(String)

    /// A sentence without its full stop.
    ///
    /// - Parameter server: the server's name.
    package func message(of server: String) -> String {
        switch self {
        case .unresolvable: "The name of \(server) cannot be resolved"
        case .unreachable: "\(server) cannot be reached"
        case .timeout(let time): "\(server) did not answer within \(time / .seconds(1)) s"
        case .tooLarge(let size): "\(server) answered with more than \(size) bytes"
        case .untrusted:
            "The certificate of \(server) is not valid here: expired, for another name or of an unknown authority, as in "
                + "the network of a captive portal"
        case .wrongPin: "The key of \(server) is not the pinned one"
        case .noTLS: "\(server) does not speak TLS 1.2 or later"
        case .notPrivate: "\(server) is not in a private network, so that it is reached with https:// only"
        case .cancelled: "The request was cancelled"
        case .other(let words): "\(server) cannot be asked: \(words)"
        }
    }
}
