import FoundationEssentials
import Glibc

/// A message bus of the test's own.
package final class BusUnderTest: Sendable {
    package static let isInstalled = access("/usr/bin/dbus-daemon", X_OK) == 0

    package let address: String
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Starts one.
    package static func start() async throws -> BusUnderTest { try await start(in: TemporaryDirectory()) }

    /// Ends it at once, with all connections.
    package func stop() async throws {
        process.signal(SIGKILL)
        _ = try await process.exitCode()
    }

    /// Starts one at the same address, after this one was stopped.
    package func restart() async throws -> BusUnderTest { try await Self.start(in: directory) }

    private static func start(in directory: TemporaryDirectory) async throws -> BusUnderTest {
        let socket = "\(directory.path)/bus"
        let rules = ["send_type", "receive_type"].flatMap { key in
            ["method_call", "method_return", "error", "signal"].map { #"<allow \#(key)="\#($0)"/>"# }
        }
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
            "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>system</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow user="*"/><allow own="*"/>\(rules.joined())</policy></busconfig>
            """
        try configuration.write(toFile: "\(directory.path)/bus.conf", atomically: false, encoding: .utf8)
        _ = unlink(socket)
        let process = try await ChildProcess([
            "/usr/bin/dbus-daemon", "--config-file=\(directory.path)/bus.conf", "--nofork", "--print-address",
        ])
        // It says its address once it listens.
        guard try await process.output.receive() != nil else {
            throw AwaitedInVain("the address of dbus-daemon", because: "it has ended")
        }
        return BusUnderTest("unix:path=\(socket)", directory, process)
    }

    private init(_ address: String, _ directory: TemporaryDirectory, _ process: ChildProcess) {
        (self.address, self.directory, self.process) = (address, directory, process)
    }

    deinit { process.signal(SIGKILL) }
}
