import Glibc
import TestSupport
import Testing

@Suite("The map program", .timeLimit(.minutes(10)))
struct MapShowTests {
    @Test(
        "Ctrl-C ends the map with the exit code of other programs, and SIGTERM with that of success",
        arguments: [SIGINT, SIGTERM])
    func signals(signal: Int32) async throws {
        let directory = try TemporaryDirectory()
        let process = try await ChildProcess(
            [Products.locationctlMap, "show", "--socket", "\(directory.path)/none"],
            environment: ["HOME": directory.path, "XDG_DATA_HOME": directory.path])
        let address = try await process.output.receive()
        #expect(address?.hasPrefix("http://127.0.0.1:") == true)
        process.signal(signal)
        #expect(try await process.exitCode() == (signal == SIGINT ? 128 + SIGINT : 0))
    }
}
