import DaemonTestSupport
import LocationModel
import LocationPolicy
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// The programs that light no indicator, because their user has said so. With a store on disk, so over a socket.
@Suite("The quiet list", .timeLimit(.minutes(10)))
struct QuietListTests {
    private func setQuiet(
        _ isQuiet: Bool, _ daemon: DaemonUnderTest, _ more: String = "",
        as peer: PeerIdentity = .agent
    ) async throws -> JSONValue? {
        try await daemon.manage("SetQuiet", #"{"client":"org.example.App","isQuiet":\#(isQuiet)\#(more)}"#, as: peer)[
            "error"]
    }

    private func isListedAsQuiet(_ daemon: DaemonUnderTest, as peer: PeerIdentity = .agent)
        async throws -> Bool
    {
        guard
            case .array(let clients) = try await daemon.manage("ListClients", "{}", as: peer)["parameters"]?["clients"]
        else { throw AwaitedInVain("a list") }
        return clients.first { $0["client"] == .string("org.example.App") }?["isQuiet"] == .bool(true)
    }

    @Test("a quiet program is listed as such, also among those that have the location now, and after a restart")
    func listed() async throws {
        let directory = try TemporaryDirectory()
        try await DaemonUnderTest.run(.socket, in: directory) { daemon in
            #expect(try await setQuiet(true, daemon) == nil)
            let found1 = try await isListedAsQuiet(daemon)
            #expect(found1)
            let client = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            guard
                case .array(let now) = try await daemon.manage("ListCurrentAccesses", "{}")["parameters"]?["accesses"]
            else { throw AwaitedInVain("a list") }
            #expect(now.first?["client"] == .string("org.example.App"))
            #expect(now.first?["isQuiet"] == .bool(true))
            guard
                case .array(let steps) = try await daemon.manage("Explain", #"{"client":"org.example.App"}"#)[
                    "parameters"]?["steps"]
            else { throw AwaitedInVain("an explanation") }
            #expect(steps.last?["found"] == .string("no: user 4242 has put it on the quiet list"))
        }
        try await DaemonUnderTest.run(.socket, in: directory) { daemon in
            let found2 = try await isListedAsQuiet(daemon)
            #expect(found2)
            #expect(try await setQuiet(false, daemon) == nil)
            let found3 = try await isListedAsQuiet(daemon)
            #expect(!found3)
        }
        try await DaemonUnderTest.run(.socket, in: directory) { daemon in
            let found4 = try await isListedAsQuiet(daemon)
            #expect(!found4)
        }
    }

    @Test("only its user and root put a program on the list")
    func byWhom() async throws {
        try await DaemonUnderTest.run(.socket) { daemon in
            #expect(
                try await setQuiet(true, daemon, #","userID":4242"#, as: .agentOfAnother)
                    == .string("org.varlink.service.PermissionDenied"))
            #expect(
                try await setQuiet(true, daemon, as: .example()) == .string("org.locationd.Manager.NotAManager"))
            let found5 = try await isListedAsQuiet(daemon)
            #expect(!found5)
            #expect(try await setQuiet(true, daemon, as: .agentOfAnother) == nil)
            let found6 = try await isListedAsQuiet(daemon)
            #expect(!found6)
            let found7 = try await isListedAsQuiet(daemon, as: .agentOfAnother)
            #expect(found7)
            #expect(try await setQuiet(true, daemon, #","userID":4242"#, as: .example(nil, user: 0)) == nil)
            let found8 = try await isListedAsQuiet(daemon)
            #expect(found8)
        }
    }

    @Test("a reset takes a program off the list, and a denial does not")
    func reset() async throws {
        try await DaemonUnderTest.run(.socket) { daemon in
            #expect(try await setQuiet(true, daemon) == nil)
            _ = try await daemon.decide("denied")
            let found9 = try await isListedAsQuiet(daemon)
            #expect(found9)
            _ = try await daemon.decide("notDetermined")
            let found10 = try await isListedAsQuiet(daemon)
            #expect(!found10)
        }
    }

    @Test("an unknown name, and more than 256 programs, are refused")
    func refusals() async throws {
        try await DaemonUnderTest.run(.socket) { daemon in
            let manager = try await daemon.connect(as: .agent)
            let unknown = try await manager.ask("Manager.SetQuiet", #"{"client":"org.example.Ap","isQuiet":true}"#)
            #expect(unknown["error"] == .string("org.locationd.Manager.NoSuchClient"))
            for number in 0..<Core.quietClientsPerUser {
                let reply = try await manager.ask(
                    "Manager.SetQuiet", #"{"client":"/usr/bin/example\#(number)","isQuiet":true}"#)
                #expect(reply["error"] == nil)
            }
            let further = try await manager.ask("Manager.SetQuiet", #"{"client":"org.example.App","isQuiet":true}"#)
            #expect(further["error"] == .string("org.locationd.Location.LimitExceeded"))
        }
    }
}
