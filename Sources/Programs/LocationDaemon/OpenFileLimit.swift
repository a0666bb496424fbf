import Glibc

/// The number of files that this process may open.
enum OpenFileLimit {
    /// Raises the soft limit to the hard one. The usual soft limit of 1,024 exists only for programs that use select(2).
    ///
    /// - Returns: the limit now, and true if it was raised or need not be.
    static func raise() -> (limit: Int, isHighest: Bool) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return (.max, true) }
        let current = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let isHighest = setrlimit(resource, &limit) == 0
        return (Int(clamping: isHighest ? limit.rlim_max : current), isHighest)
    }
}
