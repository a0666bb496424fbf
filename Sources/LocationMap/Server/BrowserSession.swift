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
        var connections = TokenBucket(capacity: 60, perSecond: 8)
        // A large screen full of tiles is a hundred of each source, and a fast zoom goes through twenty of those.
        var reads = TokenBucket(capacity: 4000, perSecond: 1000)
        // As fast as one types, and some more.
        var searches = TokenBucket(capacity: 40, perSecond: 15)
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
    func may(_ kind: Kind, at now: ContinuousClock.Instant = .now) -> Bool {
        buckets.withLock { buckets in
            switch kind {
            case .connection: buckets.connections.take(at: now)
            case .read: buckets.reads.take(at: now)
            case .search: buckets.searches.take(at: now)
            }
        }
    }
}
