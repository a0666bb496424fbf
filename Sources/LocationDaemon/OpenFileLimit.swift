import Glibc

/// The number of files that this process may open, which limits the connections of one user.
struct OpenFileLimit {
    /// The files for everything but the connections of users: the service's own, the reserve of the server, and the share
    /// of administrators.
    private static let reserve = 64
    /// The connections that a user may have in any case.
    private static let leastConnections = 4

    /// The largest number of open files.
    var count = Int.max

    /// The largest number of connections of one user who is not an administrator: a connection takes a descriptor and its
    /// process another one, and one user takes at most half of what there is.
    var connectionsPerUser: Int { max(Self.leastConnections, (count - Self.reserve) / 4) }

    /// Raises the soft limit to the hard one. The usual soft limit of 1,024 exists only for programs that use select(2).
    ///
    /// - Returns: the limit now, and true if it was raised or need not be.
    static func raise() -> (limit: OpenFileLimit, isHighest: Bool) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return (OpenFileLimit(), true) }
        let current = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let isHighest = setrlimit(resource, &limit) == 0
        return (OpenFileLimit(count: Int(clamping: isHighest ? limit.rlim_max : current)), isHighest)
    }
}
