import Glibc
import TestSupport
import Testing

@Suite("A reserved port", .timeLimit(.minutes(10)))
struct ReservedPortTests {
    private func bind(_ port: ReservedPort, isShared: Bool) throws -> Int32 {
        var address = sockaddr_in.loopback(port: port.number)
        return try boundSocket(AF_INET, &address, isShared: isShared)
    }

    @Test("refuses connections, and is assigned only to servers that name it and reuse addresses")
    func isReserved() async throws {
        let port = try ReservedPort()
        await #expect(throws: (any Error).self) { try await Wire.connect(toPort: port.number) }
        #expect(throws: SystemFailure.self) { try bind(port, isShared: false) }
        for _ in 1...2 {
            let server = try bind(port, isShared: true)
            #expect(listen(server, 8) == 0)
            try await Wire.connect(toPort: port.number).close()
            close(server)
            await #expect(throws: (any Error).self) { try await Wire.connect(toPort: port.number) }
        }
    }
}
