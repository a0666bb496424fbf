package import NIOCore
import Pacing
import Synchronization

/// A browser that has exchanged a code for a cookie, with its rate limits.
///
/// All pages of a browser share the session. A page that sends too much exhausts the limits of its own browser only.
package final class BrowserSession: Sendable {
    /// The greatest number of pages at a time. Each takes one of the six connections that browsers open to a server.
    package static let maximumPages = 8

    package let cookie = Secret()
    private let limits = Mutex<[Kind: RateLimit]>([:])

    package init() {}

    /// The kind of a request, for the rate limits.
    package enum Kind {
        /// A stream of events.
        case connection
        /// A tile, a file or an image.
        case read
        /// A search query.
        case search
        /// A question or a decision.
        case question
        /// A file of places and lines.
        case file

        fileprivate var limit: RateLimit {
            switch self {
            // A page connects once when it opens or wakes up, and every half second while its program restarts.
            case .connection: RateLimit(rate: 8, burst: 60)
            // A large screen full of tiles needs a hundred tiles of each source; a fast zoom passes twenty such screens.
            case .read: RateLimit(rate: 1000, burst: 4000)
            // A little above the fastest typing.
            case .search: RateLimit(rate: 15, burst: 40)
            // A little above the fastest clicks.
            case .question: RateLimit(rate: 15, burst: 60)
            // A large file takes a second.
            case .file: RateLimit(rate: 1, burst: 60)
            }
        }
    }

    /// True if the session allows another request of a kind now.
    package func may(_ kind: Kind, at now: NIODeadline = .now()) -> Bool {
        limits.withLock { $0[kind, default: kind.limit].allows(at: now) }
    }
}
