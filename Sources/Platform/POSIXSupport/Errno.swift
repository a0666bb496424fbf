import Glibc

/// The error of a system call: errno(3).
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Int32

    /// By default the error of the last call.
    package init(_ code: Int32 = errno) { self.code = code }

    /// The system's message.
    package var description: String { String(cString: strerror(code)) }
}
