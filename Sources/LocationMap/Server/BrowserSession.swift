import NIOCore
import Pacing
import Synchronization

/// A browser that has come with a code, known by its cookie, and how much it may still ask for.
///
/// All pages of a browser share it. One that runs wild takes from its own browser only: others keep their places and rates.
final class BrowserSession: Sendable {
    /// More pages at once than this are refused. Each holds one of the six connections that browsers open to a server.
    static let maximumPages = 8

    let cookie = Secret()
    private let buckets = Mutex(Buckets())

    private struct Buckets {
        // A page that is opened or wakes up connects once; one whose program comes and goes, every half second.
        var connections = RateLimit(rate: 8, burst: 60)
        // A large screen full of tiles is a hundred of each source, and a fast zoom goes through twenty of those.
        var reads = RateLimit(rate: 1000, burst: 4000)
        // As fast as one types, and some more.
        var searches = RateLimit(rate: 15, burst: 40)
    }

    /// The cost of a request.
    enum Kind {
        /// A stream of events.
        case connection
        /// A tile, a file or an image.
        case read
        /// A question to the search.
        case search
    }

    /// True if it may ask for something of a kind now.
    func may(_ kind: Kind, at now: NIODeadline = .now()) -> Bool {
        buckets.withLock { buckets in
            switch kind {
            case .connection: buckets.connections.allows(at: now)
            case .read: buckets.reads.allows(at: now)
            case .search: buckets.searches.allows(at: now)
            }
        }
    }
}
