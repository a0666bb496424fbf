import FoundationEssentials
import Glibc
import NIOPosix
import TestSupport
import Testing

@testable import Varlink

/// Independent Varlink libraries as clients of this server.
@Suite(
    .enabled(
        if: ForeignClient.python != nil,
        "needs the Python packages varlink and asyncvarlink: `make test` sets them up and LOCATIOND_TEST_PYTHON to their interpreter"
    ),
    .timeLimit(.minutes(10)))
struct ForeignClientTests {
    private let commandLine = ["-m", "varlink.cli"]

    @Test("python3-varlink shows the service's information")
    func information() async throws {
        try await TestServer.run { test in
            let output = try await ForeignClient.run(commandLine + ["info", "unix:" + test.path])
            #expect(output.text.contains("Product: Ping"))
            #expect(output.text.contains("org.example.Ping"))
            #expect(output.status == 0)
        }
    }

    @Test("python3-varlink shows interface descriptions", arguments: [PingService.name, "org.varlink.service"])
    func description(interface: String) async throws {
        try await TestServer.run { test in
            let output = try await ForeignClient.run(commandLine + ["help", "unix:\(test.path)/\(interface)"])
            #expect(output.text.contains("interface \(interface)"))
            #expect(output.status == 0)
        }
    }

    @Test(
        "python3-varlink calls methods and prints replies and errors",
        arguments: [
            (["org.example.Ping.Ping", #"{"ping": "é"}"#], [#""pong": "\u00e9""#]),
            (["--more", "org.example.Ping.Count", #"{"to": 2}"#], [#""number": 1"#, #""number": 2"#]),
            (["org.example.Ping.Count", #"{"to": 2}"#], ["org.varlink.service.ExpectedMore"]),
            (["org.example.Ping.Fail", #"{"code": 4}"#], ["org.example.Ping.Failed", "4"]),
            (["org.example.Ping.Nothing"], ["org.varlink.service.MethodNotFound"]),
        ])
    func call(arguments: [String], expected: [String]) async throws {
        try await TestServer.run { test in
            let arguments = arguments.map { $0.hasPrefix("org.") ? "unix:\(test.path)/\($0)" : $0 }
            let output = try await ForeignClient.run(commandLine + ["call"] + arguments)
            for text in expected { #expect(output.text.contains(text), "\(output.text)") }
        }
    }

    @Test("asyncvarlink calls methods and reads streams")
    func asyncvarlink() async throws {
        try await TestServer.run { test in
            let output = try await ForeignClient.run([ForeignClient.script("asyncvarlink_client.py"), test.path])
            #expect(output.text == "hello\n[1, 2, 3]\nFailed 5\n['1', '2']\n")
            #expect(output.status == 0)
        }
    }
}

/// Runs Python scripts.
enum ForeignClient {
    static var python: String? {
        getenv("LOCATIOND_TEST_PYTHON").map { String(cString: $0) }
    }

    static func script(_ name: String) -> String {
        "\(#filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })/Python/\(name)"
    }

    /// The output and exit status of a script.
    static func run(_ arguments: [String]) async throws -> (text: String, status: Int32) {
        let result = try await ChildProcess.run([try #require(python)] + arguments)
        return (result.output + result.errors, result.code)
    }
}
