import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

/// What somebody sends who is up to no good or has a bug, and what becomes of it.
struct BadInput: Sendable {
    var what: String
    var bytes: [UInt8]
    var error = "org.varlink.service.InvalidParameter"
    /// The parameter or the limit that the error names.
    var names: String?
    /// What the log says when the connection is closed; `nil` when it goes on.
    var reason: String?

    private static let notACall = "it sent a message that is not a call: wrong "

    private static func notACall(_ what: String, _ text: String, _ wrong: String) -> BadInput {
        BadInput(what: what, bytes: Array(text.utf8) + [0], names: wrong, reason: notACall + wrong)
    }

    private static func wrongParameters(_ what: String, _ parameters: String, names: String? = nil) -> BadInput {
        let call = #"{"method":"org.locationd.Location.GetLocation","parameters":\#(parameters)}"#
        return BadInput(what: what, bytes: Array(call.utf8) + [0], names: names)
    }

    static let all = [
        notACall("not JSON", "GET / HTTP/1.1\r\n\r\n", "message"),
        BadInput(
            what: "not UTF-8", bytes: [0x22, 0xff, 0xfe, 0x22, 0], names: "message", reason: notACall + "message"),
        BadInput(
            what: "a NUL flood", bytes: [UInt8](repeating: 0, count: 100_000), names: "message",
            reason: notACall + "message"),
        notACall("not an object", "[]", "message"),
        notACall("no method", "{}", "method"),
        notACall("a method that is no string", #"{"method":5}"#, "method"),
        notACall("more that is no boolean", #"{"method":"a.b","more":"yes"}"#, "more"),
        notACall("parameters that are no object", #"{"method":"a.b","parameters":[]}"#, "parameters"),
        notACall(
            "deep arrays", #"{"method":"a.b","parameters":{"a":"# + String(repeating: "[", count: 60_000), "message"),
        notACall("deep objects", String(repeating: #"{"a":"#, count: 12_000), "message"),
        BadInput(
            what: "128 KiB and one", bytes: [UInt8](repeating: 0x20, count: 131_073),
            error: "org.locationd.Location.LimitExceeded", names: "MessageSize",
            reason: "it sent a message that is too long"),
        wrongParameters("a number that is too large", #"{"timeout":1e999}"#),
        wrongParameters("a number of 60,000 digits", #"{"timeout":\#(String(repeating: "9", count: 60_000))}"#),
        wrongParameters("a parameter of another type", #"{"timeout":"soon"}"#, names: "timeout"),
        wrongParameters("a parameter out of its range", #"{"timeout":-1}"#, names: "timeout"),
    ]

    /// Sends it over a connection of its own, and looks at what comes back.
    func send(to daemon: DaemonProcess) async throws {
        let wire = try await Wire.connect(to: daemon.site.socket)
        await wire.send(bytes)
        let reply = try await wire.reply(ErrorParameters.self)
        #expect(reply.error == error, "\(what)")
        if let names {
            #expect(reply.parameters?.parameter ?? reply.parameters?.limit == names, "\(what)")
        }
        if reason == nil {
            await wire.call("Authorization.GetStatus")
            #expect(try await wire.reply(AuthorizationInterface.GetStatus.Reply.self).error == nil, "\(what)")
        } else {
            #expect(try await wire.receive() == nil, "\(what): the connection is closed")
        }
        await wire.close()
    }
}

@Suite("Bad input over the real socket", .timeLimit(.minutes(10)))
struct BadInputTests {
    /// The start of the line that says who was closed, why.
    private func closing(_ process: pid_t, _ program: String) -> String {
        "Closing the connection of user \(geteuid()), process \(process) (\(program)): "
    }

    /// Reads a subscription until it is closed. Gives the time from each location to the next, and what that would be
    /// if every location of the track that was not delivered was counted as skipped.
    private func follow(_ wire: Wire) async throws -> [(step: Duration, counted: Duration)] {
        var steps: [(Duration, Duration)] = []
        var last: Timestamp?
        while let message = try await wire.receive() {
            let update = try json(message, as: Reply<LocationInterface.Subscribe.Reply>.self).parameters
            let time = try #require(update?.location?.timestamp, "\(message)")
            if let last { steps.append((time.duration(since: last), .milliseconds(50) * (1 + (update?.skipped ?? 0)))) }
            last = time
        }
        return steps
    }

    @Test("bad input gets a typed error and one line in the log, and no other client notices")
    func each() async throws {
        try await DaemonSite.run { daemon in
            let subscriber = try await daemon.site.subscribe()
            async let followed = follow(subscriber)
            _ = try await daemon.log(containing: "org.example.Tests of user \(getuid()) is given locations")
            for input in BadInput.all {
                try await input.send(to: daemon)
                guard let reason = input.reason else { continue }
                let line = try #require(try await daemon.process.errors.receive())
                #expect(line == closing(getpid(), Products.tests) + reason, "\(input.what)")
            }
            // The last byte that is allowed.
            let wire = try await Wire.connect(to: daemon.site.socket)
            let call = #"{"method":"org.locationd.Authorization.GetStatus"}"#
            await wire.send(call + String(repeating: " ", count: 131_072 - call.utf8.count) + "\0")
            #expect(try await wire.reply(AuthorizationInterface.GetStatus.Reply.self).error == nil)

            // Half a message, silence, and the other half.
            await wire.send(String(call.prefix(20)))
            _ = try await daemon.site.status()
            await wire.send(call.dropFirst(20) + "\0")
            #expect(try await wire.reply(AuthorizationInterface.GetStatus.Reply.self).error == nil)

            // Half a message and the end.
            await wire.send(String(call.prefix(20)))
            await wire.close()
            let line = try await daemon.process.errors.receive()
            #expect(line == closing(getpid(), Products.tests) + "it stopped in the middle of a message")

            await subscriber.close()
            let steps = try await followed
            #expect(!steps.isEmpty)
            #expect(steps.allSatisfy { $0.step == $0.counted }, "nothing is lost without being counted: \(steps)")
        }
    }

    @Test("a client that is killed within a message")
    func killed() async throws {
        try await DaemonSite.run { daemon in
            let script = #"""
                use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])) or die;
                syswrite($s, "{\"method"); $| = 1; print "sent\n"; sleep;
                """#
            let client = try await ChildProcess(["/usr/bin/perl", "-e", script, daemon.site.socket])
            #expect(try await client.output.receive() == "sent")
            // Who dies before the daemon has looked at it is refused for that.
            try await daemon.site.status("the client's connection") { $0.connections! >= 2 }
            client.signal(SIGKILL)
            #expect(
                try await daemon.log(containing: "Closing")
                    == closing(client.processID, "/usr/bin/perl") + "it stopped in the middle of a message")
            try await daemon.site.status("no other connection") { $0.connections == 1 }
        }
    }

    @Test("thousands of bad inputs leave nothing behind")
    func growth() async throws {
        try await DaemonSite.run { daemon in
            // The allocator takes more from time to time, and its pools fill first; what is never given back grows with
            // every round.
            var growth: [Int] = []
            var before = try ProcessUsage(of: daemon.process.processID).residentSize
            repeat {
                for number in 0..<1000 { try await BadInput.all[number % BadInput.all.count].send(to: daemon) }
                let after = try ProcessUsage(of: daemon.process.processID).residentSize
                growth.append(after - before)
                before = after
            } while growth.count < 8 && growth[growth.count - 1] > 64
            #expect(growth[growth.count - 1] <= 64, "KiB for 1,000 bad inputs, round by round: \(growth)")
            try await daemon.site.status("no other connection") { $0.connections == 1 }
        }
    }
}
