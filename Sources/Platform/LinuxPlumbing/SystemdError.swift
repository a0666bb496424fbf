import Glibc

/// An error of libsystemd: the attempted action and a negative errno.
package struct SystemdError: Error, CustomStringConvertible {
    package let description: String

    package init(_ action: String, _ code: Int32) {
        description = "\(action): \(String(cString: strerror(-code)))"
    }

    /// Returns `code` unless it is an error.
    @discardableResult
    package static func check(_ action: String, _ code: Int32) throws(SystemdError) -> Int32 {
        guard code >= 0 else { throw SystemdError(action, code) }
        return code
    }
}
