import Glibc
import LinuxPlumbing
import TestSupport
import Testing

@testable import NetworkPositioning

@Suite("The socket of the program that queries a positioning server", .timeLimit(.minutes(10)))
struct NetworkSocketTests {
    @Test("is refused if others than its owner may open it", arguments: [0o600, 0o660, 0o606, 0o666] as [mode_t])
    func wide(mode: mode_t) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/socket"
        let descriptor = try listen(at: path)
        defer { close(descriptor) }
        #expect(chmod(path, mode) == 0)
        if mode == 0o600 {
            try NetworkProgram.checkSocket(descriptor)
        } else {
            let error = try #require(throws: NetworkProgramError.self) { try NetworkProgram.checkSocket(descriptor) }
            #expect("\(error)".contains("may be opened by others than its owner"))
        }
    }

    private func listen(at path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0 && Glibc.listen(descriptor, 1) == 0)
        return descriptor
    }
}
