import FoundationEssentials
import Glibc

/// Removed with everything in it when the last reference goes.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws(SystemFailure) {
        var template = Array("/tmp/locationd-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A call of the system that failed, with its `errno`.
package struct SystemFailure: Error {
    package let call: String
    package let code: Int32

    init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }
}
