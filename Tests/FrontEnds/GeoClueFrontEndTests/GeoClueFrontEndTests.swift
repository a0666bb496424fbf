import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import TestSupport
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

/// The GeoClue front end on a bus of its own. All its programs are this very process.
@Suite("The GeoClue front end", .enabled(if: BusUnderTest.isInstalled), .timeLimit(.minutes(10)))
struct GeoClueFrontEndTests {
    /// Runs a test with a daemon that is open on a bus.
    static func run(
        clients: [ClientDeclaration] = [.example(executable: BusUnderTest.ownExecutable)],
        _ test: (DaemonUnderTest, BusUnderTest) async throws -> Void
    ) async throws {
        let bus = try await BusUnderTest.start()
        try await DaemonUnderTest.run(.socket, clients: clients) { daemon in
            try await daemon.awaitFrontEnd(isOpen: true) {
                try await daemon.reload {
                    $0.daemon.geoClue.isEnabled = true
                    $0.daemon.geoClue.busAddress = bus.address
                    $0.daemon.agents = [BusUnderTest.ownExecutable]
                }
            }
            do {
                try await test(daemon, bus)
            } catch {
                try await daemon.reload { $0.daemon.geoClue.isEnabled = false }
                throw error
            }
            try await daemon.reload { $0.daemon.geoClue.isEnabled = false }
        }
    }

    /// The identifier of this process as a program that nobody declared.
    static let identifier = BusUnderTest.ownExecutable

    /// This process as the client of a declaration that names its claim, too; undecided.
    static func declared(claiming id: String) -> ClientDeclaration {
        var declaration = ClientDeclaration.example(executable: BusUnderTest.ownExecutable, policy: ClientPolicy())
        declaration.match.desktopID = id
        declaration.whenInUseUsageDescription = "Tests."
        return declaration
    }

    @Test("Start is answered with the first fix; then Active, the fix and its path are announced, in this order")
    func start() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            #expect(try await program.client() == client)
            #expect(try await program.set("DesktopId", .text("redshift"), of: client).error == nil)
            #expect(try await program.set("RequestedAccuracyLevel", .number(8), of: client).error == nil)
            #expect(try await program.properties(of: client).properties["Location"] == .path("/"))
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await reply.error == nil)
            var signals = program.signals.makeAsyncIterator()
            let location = "\(client)/Location/0"
            #expect(await signals.next() == .init(member: "DesktopId", path: client, value: .text("redshift")))
            #expect(await signals.next()?.member == "RequestedAccuracyLevel")
            #expect(await signals.next() == .init(member: "Active", path: client, value: .boolean(true)))
            #expect(await signals.next() == .init(member: "LocationUpdated", path: client, value: .path(location)))
            #expect(await signals.next() == .init(member: "Location", path: client, value: .path(location)))

            // What comes while that is not read is skipped: the next is the newest.
            try await daemon.emit(Fix(number: 2).event, Fix(number: 3).event)
            #expect(try await program.latitude(of: location) == Fix(number: 1).latitude)
            #expect(await signals.next()?.value == .path("\(client)/Location/1"))
            #expect(try await program.latitude(of: "\(client)/Location/1") == Fix(number: 3).latitude)

            // After Stop it can still be read, and nothing comes.
            #expect(try await program.stop(client).error == nil)
            #expect(await signals.next()?.member == "Location")
            #expect(await signals.next() == .init(member: "Active", path: client, value: .boolean(false)))
            try await daemon.emit(Fix(number: 4).event)
            #expect(try await program.latitude(of: "\(client)/Location/1") == Fix(number: 3).latitude)
            try await program.close()
        }
    }

    @Test("no other program on the bus can see or use a client")
    func privacy() async throws {
        try await Self.run { daemon, bus in
            let (program, spy) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let client = try await program.client()
            let own = try await spy.client()
            #expect(own != client)
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await reply
            #expect(try await spy.start(client).error == "AccessDenied")
            #expect(try await spy.properties(of: client).error == "AccessDenied")
            #expect(try await spy.properties(of: "\(client)/Location/0").error == "AccessDenied")
            #expect(try await spy.set("DesktopId", .text("spy"), of: client).error == "AccessDenied")
            #expect(try await spy.manager("DeleteClient", [.path(client)]).error == nil)
            #expect(try await program.properties(of: client).error == nil)
            // What it is told comes in order: had it been sent anything of the other before, that would be here.
            _ = try await spy.set("DesktopId", .text("spy"), of: own)
            var signals = spy.signals.makeAsyncIterator()
            #expect(await signals.next() == .init(member: "DesktopId", path: own, value: .text("spy")))
            try await program.close()
            try await spy.close()
        }
    }

    @Test("a hostile program gets errors, and no other program is affected")
    func hostile() async throws {
        try await Self.run { daemon, bus in
            let (program, hostile) = (try await BusClient(bus.address), try await BusClient(bus.address))
            var errors: [String: Int] = [:]
            for _ in 0..<200 { errors[try await hostile.manager("CreateClient").error ?? "none", default: 0] += 1 }
            #expect(errors == ["none": 64, "LimitsExceeded": 136])
            #expect(try await hostile.manager("GetClient").error == "LimitsExceeded")
            let client = try await program.client()
            _ = try await program.set("RequestedAccuracyLevel", .number(8), of: client)
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await reply.error == nil)
            #expect(try await program.latitude(of: "\(client)/Location/0") == Fix(number: 1).latitude)
            try await hostile.close()
            try await program.close()
        }
    }

    @Test("client objects that were stopped after use make room for new ones, the oldest first; unused ones do not")
    func visits() async throws {
        try await Self.run { daemon, bus in
            let (program, browser) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let client = try await program.client()
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await reply

            // It stays, since `GetClient` would return it again, and so does one that is started.
            let own = try await browser.client()
            #expect(try await browser.start(own).error == nil)
            #expect(try await browser.stop(own).error == nil)
            let lasting = try await browser.client("CreateClient")
            #expect(try await browser.start(lasting).error == nil)
            var visits: [String] = []
            for _ in 0..<150 {
                visits.append(try await browser.client("CreateClient"))
                #expect(try await browser.start(visits[visits.count - 1]).error == nil)
                #expect(try await browser.stop(visits[visits.count - 1]).error == nil)
            }
            #expect(try await browser.properties(of: own).error == nil)
            #expect(try await browser.start(lasting).error == nil)
            #expect(try await browser.start(visits[87]).error == "UnknownObject")
            #expect(try await browser.start(visits[88]).error == nil)
            // The 61 other used ones make room, and then nothing does.
            var errors: [String: Int] = [:]
            for _ in 0..<100 { errors[try await browser.manager("CreateClient").error ?? "none", default: 0] += 1 }
            #expect(errors == ["none": 61, "LimitsExceeded": 39])
            #expect(try await program.properties(of: client).properties["Active"] == .boolean(true))
            try await browser.close()
            try await program.close()
        }
    }

    @Test("the client objects of a user are limited over all connections")
    func clientsOfOneUser() async throws {
        try await Self.run { daemon, bus in
            try await daemon.reload { $0.daemon.limits.connectionsPerUser = 100 }
            let programs = [try await BusClient(bus.address), try await BusClient(bus.address)]
            var errors: [String: Int] = [:]
            for program in programs {
                for _ in 0..<60 { errors[try await program.manager("CreateClient").error ?? "none", default: 0] += 1 }
            }
            #expect(errors == ["none": 100, "LimitsExceeded": 20])
            // Objects that were only created are reserved, and not connected yet.
            try await daemon.wait(
                for: "the end of the first program's clients", after: { try await programs[0].close() },
                until: { $0.table.users[getuid()].map { $0.connections[.geoClue, default: 0] < 100 } ?? true })
            #expect(try await programs[1].manager("CreateClient").error == nil)
            try await programs[1].close()
        }
    }

    @Test("Manager.InUse is true while a program of the caller's user is active")
    func inUse() async throws {
        try await Self.run { daemon, bus in
            let (one, other) = (try await BusClient(bus.address), try await BusClient(bus.address))
            func isInUse(_ program: BusClient) async throws -> BusValue? {
                try await program.properties(of: ObjectPath.manager.text).properties["InUse"]
            }
            let (client, second) = (try await one.client(), try await other.client())
            #expect(try await isInUse(one) == .boolean(false))
            async let reply = one.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await reply
            #expect(try await isInUse(other) == .boolean(true))
            #expect(try await other.start(second).error == nil)
            #expect(try await one.stop(client).error == nil)
            #expect(try await isInUse(one) == .boolean(true))
            try await daemon.wait(connections: 1) { try await other.close() }
            #expect(try await isInUse(one) == .boolean(false))
            try await one.close()
        }
    }

    @Test("each wrong call gets the matching error")
    func wrongCalls() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            let paths = ["/", "/org/freedesktop/GeoClue2/Client/999", "\(client)/Location/0", "\(client)/Location/x"]
            for path in paths { #expect(try await program.start(path).error?.hasPrefix("Unknown") == true) }
            #expect(try await program.set("Active", .boolean(true), of: client).error == "PropertyReadOnly")
            #expect(try await program.set("TimeThreshold", .text("1"), of: client).error == "InvalidArgs")
            #expect(
                try await program.call(
                    "Start", of: Interface.client.rawValue, at: client, [.time(seconds: 1, microseconds: 1)]
                ).error == "InvalidArgs")
            for number in 0..<500 {
                #expect(try await program.set("TimeThreshold", .number(UInt32(number)), of: client).error == nil)
            }
            try await program.close()
        }
    }

    @Test("a program that ends during a prompt withdraws it")
    func endsInPrompt() async throws {
        try await Self.run(clients: []) { daemon, bus in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            async let reply = program.start(client)
            _ = try await daemon.prompt(agent)
            try await daemon.wait(requests: 0) { try await program.close() }
            #expect(try await daemon.prompts(agent).isEmpty)
            _ = try? await reply
            await agent.close()
        }
    }

    @Test("64 calls of Start wait for the user, and one more gets an error")
    func heldCalls() async throws {
        try await Self.run(clients: []) { daemon, bus in
            let root = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            let errors = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 1...65 { group.addTask { try await program.start(client).error } }
                #expect(try await group.next() == "LimitsExceeded")
                try await daemon.decide("dontAllow", try await daemon.prompt(root), root)
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors == Array(repeating: "AccessDenied", count: 64))
            try await program.close()
            await root.close()
        }
    }
}
