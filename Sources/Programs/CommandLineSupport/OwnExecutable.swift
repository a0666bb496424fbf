import FoundationEssentials

/// The file of the running program.
package enum OwnExecutable {
    /// Its directory; empty where the system does not tell, in which nothing is found then.
    package static var directory: String {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}
