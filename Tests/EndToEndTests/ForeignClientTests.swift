import Glibc
import LocationInterface
import TestSupport
import Testing

/// The Varlink libraries of other people, against the real daemon.
@Suite(
    .enabled(
        if: getenv("LOCATIOND_TEST_PYTHON") != nil,
        "needs the Python packages varlink and asyncvarlink: `make test` sets them up and LOCATIOND_TEST_PYTHON to their interpreter"
    ), .timeLimit(.minutes(10)))
struct ForeignClientTests {
    static let python = getenv("LOCATIOND_TEST_PYTHON").map { String(cString: $0) }
    private static let script =
        String(#filePath.dropLast("ForeignClientTests.swift".count)) + "Python/locationd_client.py"

    private func python(_ arguments: String...) async throws -> ChildProcess.Result {
        try await ChildProcess.run([try #require(Self.python)] + arguments)
    }

    /// Runs a test with a daemon to which Python is declared.
    private func run(_ test: (DaemonProcess) async throws -> Void) async throws {
        let site = try DaemonSite()
        let executable = try await python("-c", "import os; print(os.readlink('/proc/self/exe'))").output
        try site.declare("org.example.Python", executable: String(executable.dropLast()))
        let daemon = try await site.start()
        try await test(daemon)
        try await daemon.stop()
    }

    private func varlink(_ arguments: String...) async throws -> ChildProcess.Result {
        try await ChildProcess.run([try #require(Self.python), "-m", "varlink.cli"] + arguments)
    }

    @Test func information() async throws {
        try await run { daemon in
            let address = "unix:" + daemon.site.socket
            let info = try await varlink("info", address)
            #expect(info.code == 0)
            for name in ["Product: locationd", "org.locationd.Location", "org.locationd.Manager"] {
                #expect(info.output.contains(name))
            }
            for name in ["Location", "Authorization", "Manager"] {
                let help = try await varlink("help", "\(address)/org.locationd.\(name)")
                #expect(help.code == 0)
                #expect(help.output.contains("interface org.locationd.\(name)"))
            }
        }
    }

    @Test func calls() async throws {
        try await run { daemon in
            let address = "unix:" + daemon.site.socket + "/org.locationd."
            let location = try await varlink("call", address + "Location.GetLocation", #"{"timeout": 5}"#)
            #expect(location.output.contains(#""longitude": 98.765432"#), "\(location.errors)")
            let status = try await varlink("call", address + "Authorization.GetStatus")
            #expect(status.output.contains("authorizedAlways"))
            let wrong = try await varlink("call", address + "Location.GetLocation", #"{"timeout": -5}"#)
            #expect((wrong.output + wrong.errors).contains("org.varlink.service.InvalidParameter"))
        }
    }

    @Test func stream() async throws {
        try await run { daemon in
            let client = try await ChildProcess(
                [
                    try #require(Self.python), "-m", "varlink.cli", "call", "--more",
                    "unix:\(daemon.site.socket)/org.locationd.Location.Subscribe",
                ], environment: ["PYTHONUNBUFFERED": "1"])
            var count = 0
            while count < 3, let line = try await client.output.receive() {
                if line.contains(#""longitude": 98.765432"#) { count += 1 }
            }
            #expect(count == 3)
            client.signal(SIGKILL)
            try await daemon.site.status("the end of the subscription") { $0.subscriptions! <= 0 }
        }
    }

    @Test func asyncvarlink() async throws {
        try await run { daemon in
            let result = try await python(Self.script, daemon.site.socket)
            #expect(result.code == 0, "\(result.errors)")
            #expect(
                result.output == """
                    org.example.Python authorizedAlways full
                    98.765432
                    InvalidParameter timeout
                    [98.765432, 98.765432, 98.765432]

                    """)
        }
    }
}
