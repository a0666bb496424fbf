import Glibc

/// Directories of the user of this process (XDG Base Directory Specification).
package enum UserDirectories {
    /// The directory for data: `$XDG_DATA_HOME`, by default `~/.local/share`; `nil` without a home.
    package static var data: String? { path("XDG_DATA_HOME") ?? path("HOME").map { $0 + "/.local/share" } }

    /// The absolute path in a variable; the specification requires others to be ignored.
    private static func path(_ variable: String) -> String? {
        getenv(variable).flatMap { String(validatingCString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
