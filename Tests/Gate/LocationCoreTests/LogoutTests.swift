import DaemonTestSupport
import LocationModel
import LocationPolicy
import LocationUsage
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Decisions to allow that end when their user logs out.
@Suite("Decisions that end with a logout", .timeLimit(.minutes(10)))
struct LogoutTests {
    private static let key = ClientKey(userID: 4242, client: "org.example.App")

    private func run(
        in directory: TemporaryDirectory? = nil, clients: [ClientDeclaration] = [.undecided],
        users: Set<UInt32>? = [4242, 4343], session: UInt32 = 1,
        _ test: (DaemonUnderTest) async throws -> Void
    ) async throws {
        let sessions = [UInt32(4242): [LoginIdentity(number: session, isGraphical: true)]]
        try await DaemonUnderTest.run(
            .socket, clients: clients, in: directory, sessions: users?.contains(4242) == true ? sessions : [:]
        ) { daemon in
            try await login(users, daemon)
            try await test(daemon)
        }
    }

    private func login(_ users: Set<UInt32>?, _ daemon: DaemonUnderTest) async throws {
        let surroundings = daemon.surroundings
        try await daemon.onLoop { _ in surroundings.set(users: users) }
    }

    private func allow(_ daemon: DaemonUnderTest, _ authorization: String = "authorizedAlways") async throws
        -> JSONValue
    {
        try await daemon.manage(
            "SetAuthorization",
            #"{"client":"org.example.App","authorization":"\#(authorization)","untilLogout":true}"#)
    }

    private func isListed(_ daemon: DaemonUnderTest) async throws -> Bool {
        guard case .array(let clients) = try await daemon.manage("ListClients", "{}")["parameters"]?["clients"] else {
            throw AwaitedInVain("a list")
        }
        let client = clients.first { $0["client"] == .string("org.example.App") }
        #expect(client?["until"] == nil)
        return client?["untilLogout"] == .bool(true)
    }

    private func isWatched(_ daemon: DaemonUnderTest) async throws -> Bool {
        let surroundings = daemon.surroundings
        return try await daemon.onLoop { _ in surroundings.kinds.contains(.login) }
    }

    @Test(
        "it is in force while the user is logged in or that is unknown, and then the previous decision counts again, on disk as well",
        arguments: ["notDetermined", "denied"])
    func ends(before: String) async throws {
        try await run { daemon in
            _ = try await daemon.decide(before)
            var isWatched = try await isWatched(daemon)
            #expect(!isWatched)
            let answer = try await allow(daemon)
            #expect(answer["error"] == nil)
            var isListed = try await isListed(daemon)
            #expect(isListed)
            isWatched = try await self.isWatched(daemon)
            #expect(isWatched)
            let isIdle = try await daemon.isIdle(after: .seconds(3600))
            #expect(!isIdle)
            let client = try await daemon.subscribe()
            for users in [[4242], nil, [4242, 4343]] as [Set<UInt32>?] {
                try await login(users, daemon)
                let status = try await daemon.authorizationStatus()
                #expect(status == .string("authorizedAlways"))
            }
            try await login([4343], daemon)
            try await client.expect(
                #"{"parameters":{"diagnostic":"authorizationDenied"},"continues":true}"#)
            try await daemon.finishDiskWork()
            let status = try await daemon.authorizationStatus()
            #expect(status == .string(before))
            isListed = try await self.isListed(daemon)
            #expect(!isListed)
            let stored = try await daemon.stored().records[Self.key]
            #expect(stored?.ending == nil)
            isWatched = try await self.isWatched(daemon)
            #expect(!isWatched)
        }
    }

    @Test("it survives a restart of the service, and ends for a program that is not running")
    func restart() async throws {
        let directory = try TemporaryDirectory()
        try await run(in: directory) { daemon in
            let answer = try await allow(daemon)
            #expect(answer["error"] == nil)
        }
        try await run(in: directory) { daemon in
            let isWatched = try await isWatched(daemon)
            #expect(isWatched)
            var isListed = try await isListed(daemon)
            #expect(isListed)
            try await login([], daemon)
            try await daemon.finishDiskWork()
            isListed = try await self.isListed(daemon)
            #expect(!isListed)
            let stored = try await daemon.stored().records[Self.key]
            #expect(stored?.grant == nil)
        }
    }

    @Test("it has ended if the user logged in again, or the machine started again, while the service was not running")
    func anotherLogin() async throws {
        let directory = try TemporaryDirectory()
        try await run(in: directory) { daemon in
            _ = try await daemon.decide("denied")
            let answer = try await allow(daemon)
            #expect(answer["error"] == nil)
        }
        try await run(in: directory, session: 2) { daemon in
            let status = try await daemon.authorizationStatus()
            #expect(status == .string("denied"))
            let isListed = try await isListed(daemon)
            #expect(!isListed)
            try await daemon.finishDiskWork()
            let record = try await daemon.stored().records[Self.key]
            #expect(record?.grant == .denied && record?.ending == nil)
        }
    }

    @Test("it has ended if logind is absent at the next start")
    func withoutLogind() async throws {
        let directory = try TemporaryDirectory()
        try await run(in: directory) { daemon in
            let answer = try await allow(daemon)
            #expect(answer["error"] == nil)
        }
        try await run(in: directory, users: nil) { daemon in
            let status = try await daemon.authorizationStatus()
            #expect(status == .string("notDetermined"))
        }
    }

    @Test("it ends for a program that is not declared at the logout, and does not return when that is declared again")
    func formerClient() async throws {
        let directory = try TemporaryDirectory()
        try await run(in: directory) { daemon in
            let answer = try await allow(daemon)
            #expect(answer["error"] == nil)
        }
        try await run(in: directory, clients: [], session: 2) { daemon in
            try await daemon.finishDiskWork()
            let isIdle = try await daemon.isIdle(after: .seconds(3600))
            #expect(isIdle)
        }
        try await run(in: directory) { daemon in
            let status = try await daemon.authorizationStatus()
            #expect(status == .string("notDetermined"))
        }
    }

    @Test("it is tied to the session of a desktop if there are several")
    func sessionOfDesktop() async throws {
        let directory = try TemporaryDirectory()
        let (text, desktop) = (
            LoginIdentity(number: 1, isGraphical: false), LoginIdentity(number: 2, isGraphical: true)
        )
        let clients = [ClientDeclaration.undecided]
        try await DaemonUnderTest.run(.socket, clients: clients, in: directory, sessions: [4242: [text, desktop]]) {
            let answer = try await allow($0)
            #expect(answer["error"] == nil)
        }
        try await DaemonUnderTest.run(.socket, clients: clients, in: directory, sessions: [4242: [desktop]]) {
            let isListed = try await isListed($0)
            #expect(isListed)
        }
        try await DaemonUnderTest.run(.socket, clients: clients, in: directory, sessions: [4242: [text]]) {
            let isListed = try await isListed($0)
            #expect(!isListed)
        }
    }

    @Test("it is refused without a session, with a time, and for a denial")
    func refusals() async throws {
        try await run(users: [4343]) { daemon in
            let parameter = try await allow(daemon)["parameters"]?["parameter"]
            #expect(parameter == .string("untilLogout"))
        }
        try await run { daemon in
            var answer = try await allow(daemon, "denied")
            #expect(answer["parameters"]?["parameter"] == .string("untilLogout"))
            answer = try await daemon.manage(
                "SetAuthorization",
                #"{"client":"org.example.App","authorization":"authorizedAlways","untilLogout":true,"until":"2100-01-01T00:00:00Z"}"#
            )
            #expect(answer["parameters"]?["parameter"] == .string("untilLogout"))
            // The last second that a time can have stands for a logout on disk.
            answer = try await daemon.manage(
                "SetAuthorization",
                #"{"client":"org.example.App","authorization":"authorizedAlways","until":"2262-04-11T23:47:16.854Z"}"#)
            #expect(answer["parameters"]?["parameter"] == .string("until"))
        }
    }
}
