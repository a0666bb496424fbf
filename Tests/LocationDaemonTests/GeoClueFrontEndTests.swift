import GeoClue
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import Synchronization
import TestSupport
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import LocationDaemon
@testable import PeerIdentification
@testable import Varlink
@testable import VarlinkFrontEnd

/// The GeoClue front end on a bus of its own. All its programs are this very process.
@Suite("The GeoClue front end", .enabled(if: BusUnderTest.isInstalled), .timeLimit(.minutes(1)))
struct GeoClueFrontEndTests {
    /// Runs a test with a daemon that is open on a bus.
    private static func run(
        isDeclared: Bool = true, _ test: (DaemonUnderTest, BusUnderTest) async throws -> Void
    ) async throws {
        let bus = try await BusUnderTest.start()
        let clients = isDeclared ? [ClientDeclaration.example(executable: BusUnderTest.ownExecutable)] : []
        try await DaemonUnderTest.run(.socket, clients: clients) { daemon in
            try await daemon.reload {
                $0.daemon.geoClue.isEnabled = true
                $0.daemon.geoClue.busAddress = bus.address
                $0.daemon.agents = [BusUnderTest.ownExecutable]
            }
            try await daemon.awaitFrontEnd(isOpen: true)
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
    private static let identifier = BusUnderTest.ownExecutable

    /// This process as the client of a declaration that names its claim, too; undecided.
    private static func declared(claiming id: String) -> ClientDeclaration {
        var declaration = ClientDeclaration.example(executable: BusUnderTest.ownExecutable, policy: ClientPolicy())
        declaration.match.desktopID = id
        declaration.whenInUseUsageDescription = "Tests."
        return declaration
    }

    @Test("Start is answered with the first fix; then Active, the fix and its path are told, in this order")
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

    @Test("a program that nobody declared is one program under all its names, for prompts, denials and grants")
    func undeclared() async throws {
        try await Self.run(isDeclared: false) { daemon, bus in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await BusClient(bus.address)
            func start(_ name: String) async throws -> BusClient.Reply {
                let client = try await program.client("CreateClient")
                _ = try await program.set("DesktopId", .text(name), of: client)
                return try await program.start(client)
            }
            async let first = start("org.example.Map")
            let prompt = try await daemon.prompt(agent)
            async let second = start("org.gnome.Maps")
            async let third = start("")
            try await daemon.wait(requests: 3)
            #expect(try await daemon.prompts(agent) == [prompt])
            #expect(prompt["client"] == .string(Self.identifier))
            let name = BusUnderTest.ownExecutable.split(separator: "/").last ?? ""
            #expect(prompt["displayName"] == .string("\(name)"))
            #expect(prompt["executable"] == .string(Self.identifier))
            #expect(
                prompt["usageDescription"]
                    == .string(
                        "It calls itself org.example.Map and gives no reason. Your answer counts for everything that "
                            + "\(name) runs."))

            // Denied, it is not asked about under any other name.
            try await daemon.decide("dontAllow", prompt, agent)
            #expect(try await first.error == "AccessDenied")
            #expect(try await second.error == "AccessDenied")
            #expect(try await third.error == "AccessDenied")
            for number in 1...40 { #expect(try await start("org.example.Other\(number)").error == "AccessDenied") }
            #expect(try await daemon.prompts(agent).isEmpty)

            // Until the decision is reset.
            let user = #""userID":\#(getuid())"#
            let reset = try await agent.ask(
                "Manager.SetAuthorization",
                #"{"client":"\#(Self.identifier)",\#(user),"authorization":"notDetermined"}"#)
            #expect(reset["error"] == nil, "\(reset)")
            async let again = start("org.example.Weather")
            let next = try await daemon.prompt(agent)
            #expect("\(next)".contains("It calls itself org.example.Weather"), "\(next)")
            try await daemon.decide("allowWhileUsing", next, agent)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await again.error == nil)
            #expect(try await start("org.example.Map").error == nil)
            try await program.close()
            await agent.close()
        }
    }

    @Test("an undeclared program that claims an installed application is not answered for by the desktop")
    func claimedApplication() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(isDeclared: false) { daemon, bus in
            let root = try await daemon.connect(as: .example(nil, user: 0))
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let asked = Asked()
            try await shell.serveAgent(level: { 8 }, isAllowed: { asked.note($0) })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text(application), of: client)
            async let reply = program.start(client)
            let prompt = try await daemon.prompt(root)
            #expect(prompt["client"] == .string(Self.identifier))
            #expect(prompt["application"] == nil)
            try await daemon.decide("dontAllow", prompt, root)
            #expect(try await reply.error == "AccessDenied")
            #expect(asked.applications == [])
            try await shell.close()
            try await program.close()
            await root.close()
        }
    }

    @Test("a decision by command replaces the desktop's, which is not asked again")
    func commandReplacesDesktop() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(isDeclared: false) { daemon, bus in
            try await daemon.reload { $0.clients = [Self.declared(claiming: application)] }
            let root = try await daemon.connect(as: .example(nil, user: 0))
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let asked = Asked()
            try await shell.serveAgent(level: { 8 }, isAllowed: { asked.note($0) })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text(application), of: client)
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await reply.error == nil)
            #expect(asked.applications == [application])

            // The desktop is asked at each start.
            _ = try await program.stop(client)
            #expect(try await program.start(client).error == nil)
            #expect(asked.applications == [application, application])

            // The same decision by command, and then another.
            for decision in ["authorizedWhenInUse", "denied", "authorizedWhenInUse"] {
                _ = try await program.stop(client)
                let decided = try await root.ask(
                    "Manager.SetAuthorization",
                    #"{"client":"org.example.App","userID":\#(getuid()),"authorization":"\#(decision)"}"#)
                #expect(decided["error"] == nil, "\(decided)")
                #expect((try await program.start(client).error == nil) == (decision != "denied"))
                #expect(asked.applications.count == 2, "\(decision)")
            }
            try await shell.close()
            try await program.close()
            await root.close()
        }
    }

    @Test("a claim makes nobody a declared client")
    func claims() async throws {
        try await Self.run(isDeclared: false) { daemon, bus in
            var match = ClientMatch()
            match.desktopID = "org.gnome.Maps"
            match.executable = "/usr/bin/gjs-console"
            var declaration = ClientDeclaration(identifier: "org.gnome.Maps", match: match, file: "/maps.plist")
            declaration.policy.presetAuthorization = .always
            try await daemon.reload { [declaration] in $0.clients = [declaration] }
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text("org.gnome.Maps"), of: client)
            async let reply = program.start(client)
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let prompt = try await daemon.prompt(agent)
            #expect(prompt["client"] == .string(Self.identifier))
            try await daemon.decide("dontAllow", prompt, agent)
            #expect(try await reply.error == "AccessDenied")
            try await program.close()
            await agent.close()
        }
    }

    @Test("revoked, a client hears it, and what was announced reads as no place; switched on again, it goes on")
    func revocation() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            var signals = program.signals.makeAsyncIterator()
            let client = try await program.client()
            _ = try await program.set("RequestedAccuracyLevel", .number(8), of: client)
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await reply
            _ = try await signals.first("the first location") { $0.member == "Location" }
            let root = try await daemon.connect(as: .example(nil, user: 0))
            _ = try await root.ask("Manager.SetEnabled", #"{"isEnabled":false,"isSystem":true}"#)
            #expect(await signals.next() == .init(member: "Active", path: client, value: .boolean(false)))
            #expect(try await program.latitude(of: "\(client)/Location/0").isNaN)
            #expect(try await program.properties(of: client).properties["Location"] == .path("\(client)/Location/0"))
            _ = try await root.ask("Manager.SetEnabled", #"{"isEnabled":true,"isSystem":true}"#)
            #expect(await signals.next() == .init(member: "Active", path: client, value: .boolean(true)))
            try await daemon.emit(Fix(number: 2).event)
            #expect(await signals.next()?.member == "LocationUpdated")
            try await program.close()
            await root.close()
        }
    }

    @Test("nobody else on the bus sees anything of a client, nor can use it")
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

    @Test("a hostile program gets errors, and nobody else is the worse for it")
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

    @Test("while declarations cannot be read, an undeclared program gets nothing, because one may restrict it")
    func undeclaredWhileDeclarationsAreUnknown() async throws {
        try await Self.run(isDeclared: false) { daemon, bus in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await BusClient(bus.address)
            let client = try await program.client("CreateClient")
            _ = try await program.set("DesktopId", .text("org.example.Map"), of: client)
            try await daemon.reload { $0.areClientsKnown = false }
            #expect(try await program.start(client).error == "AccessDenied")
            // Nobody was asked: the first prompt comes when they are known.
            try await daemon.reload { $0.areClientsKnown = true }
            async let reply = program.start(client)
            let prompt = try await daemon.prompt(agent)
            try await daemon.decide("dontAllow", prompt, agent)
            #expect(try await reply.error == "AccessDenied")
            try await program.close()
            await agent.close()
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
            try await programs[0].close()
            try await daemon.wait(for: "the end of the first program's clients") { $0.table.count < 100 }
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
            try await other.close()
            try await daemon.wait(connections: 1)
            #expect(try await isInUse(one) == .boolean(false))
            try await one.close()
        }
    }

    @Test("calls that are wrong get the error that says so")
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

    @Test("a program that ends in the midst of a prompt takes it along")
    func endsInPrompt() async throws {
        try await Self.run(isDeclared: false) { daemon, bus in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            async let reply = program.start(client)
            _ = try await daemon.prompt(agent)
            try await program.close()
            try await daemon.wait(requests: 0)
            #expect(try await daemon.prompts(agent).isEmpty)
            _ = try? await reply
            await agent.close()
        }
    }

    @Test("the bus goes away and comes back: programs are served again")
    func busIsRestarted() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            try await bus.stop()
            try await daemon.awaitFrontEnd(isOpen: false)
            let next = try await bus.restart()
            try await daemon.awaitFrontEnd(isOpen: true)
            let other = try await BusClient(next.address)
            // No number is used again: a program can still read what it was told of before, and that is no place.
            #expect(try await other.client() != client)
            #expect(try await other.latitude(of: "\(client)/Location/0").isNaN)
            #expect(try await other.properties(of: client).error == "UnknownObject")
            try await other.close()
            try await program.close()
        }
    }

    @Test("without any bus the daemon works as before and says why, and serves programs once there is one")
    func noBus() async throws {
        let bus = try await BusUnderTest.start()
        try await bus.stop()
        let clients = [ClientDeclaration.example(executable: BusUnderTest.ownExecutable)]
        try await DaemonUnderTest.run(.socket, clients: clients) { daemon in
            try await daemon.reload {
                $0.daemon.geoClue.isEnabled = true
                $0.daemon.geoClue.busAddress = bus.address
            }
            guard case .array(let frontEnds)? = try await daemon.status("frontEnds"),
                case .string(let problem)? = frontEnds.first?["problem"]
            else { throw BusClient.Missing(description: "the status of the frontEnd") }
            #expect(problem.hasPrefix("Programs that ask GeoClue get no location: "), "\(problem)")
            #expect(problem.hasSuffix("Trying again."), "\(problem)")
            let next = try await bus.restart()
            try await daemon.awaitFrontEnd(isOpen: true)
            let program = try await BusClient(next.address)
            _ = try await program.client()
            try await program.close()
            try await daemon.reload { $0.daemon.geoClue.isEnabled = false }
        }
    }

    @Test("while another service has the name this one waits, says so once, and takes it over")
    func nameIsTaken() async throws {
        let bus = try await BusUnderTest.start()
        let owner = try await BusClient(bus.address)
        try await owner.own(Interface.busName)
        try await DaemonUnderTest.run(.socket) { daemon in
            try await daemon.reload {
                $0.daemon.geoClue.isEnabled = true
                $0.daemon.geoClue.busAddress = bus.address
            }
            try await daemon.awaitFrontEnd(isOpen: false)
            try await owner.close()
            try await daemon.awaitFrontEnd(isOpen: true)
            try await daemon.reload { $0.daemon.geoClue.isEnabled = false }
        }
    }

    @Test("the desktop's agent answers, is shown what is in use, and switches its user's programs off and on")
    func agent() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(isDeclared: false) { daemon, bus in
            try await daemon.reload { $0.clients = [Self.declared(claiming: application)] }
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let level = Level()
            try await shell.serveAgent(level: { level.value }, isAllowed: { $0 == application })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            var (shown, signals) = (shell.signals.makeAsyncIterator(), program.signals.makeAsyncIterator())
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text(application), of: client)
            _ = try await program.set("RequestedAccuracyLevel", .number(8), of: client)
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await reply.error == nil)
            #expect(await shown.next()?.value == .boolean(true))
            level.value = 0
            try await shell.tellLevel(0)
            try await signals.waitFor(client, isActive: false)
            #expect(try await program.latitude(of: "\(client)/Location/0").isNaN)
            #expect(await shown.next()?.value == .boolean(false))
            level.value = 8
            try await shell.tellLevel(8)
            try await signals.waitFor(client, isActive: true)
            try await shell.close()
            try await program.close()
        }
    }

    @Test("the desktop's switch holds after its agent has gone, on disk, until an agent or the user says otherwise")
    func levelOutlivesAgent() async throws {
        try await Self.run { daemon, bus in
            let root = try await daemon.connect(as: .example(nil, user: 0))
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let level = Level()
            try await shell.serveAgent(level: { level.value }, isAllowed: { _ in true })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            var signals = program.signals.makeAsyncIterator()
            let client = try await program.client()
            _ = try await program.set("RequestedAccuracyLevel", .number(8), of: client)
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await reply.error == nil)
            try await signals.waitFor(client, isActive: true)
            level.value = 0
            try await shell.tellLevel(0)
            try await signals.waitFor(client, isActive: false)

            // The Shell ends. Nothing comes back by itself, and nothing new begins.
            try await shell.close()
            try await daemon.waitForNoDesktop()
            #expect(try await program.properties(of: client).properties["Active"] == .boolean(false))
            #expect(try await program.stop(client).error == nil)
            #expect(try await program.start(client).error == "AccessDenied")
            #expect(try await daemon.savedDesktopLevels() == [getuid(): 0])

            // Its successor says that they are on.
            let next = try await BusClient(bus.address)
            level.value = 8
            try await next.serveAgent(level: { level.value }, isAllowed: { _ in true })
            #expect(try await next.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            #expect(try await program.start(client).error == nil)
            #expect(try await daemon.savedDesktopLevels() == [:])

            // Off again, and left behind: a command says otherwise, but not against an agent that is there.
            level.value = 0
            try await next.tellLevel(0)
            try await signals.waitFor(client, isActive: false)
            let on = #"{"isEnabled":true,"userID":\#(getuid())}"#
            #expect(try await root.ask("Manager.SetEnabled", on)["error"] == nil)
            #expect(try await program.stop(client).error == nil)
            #expect(try await program.start(client).error == "AccessDenied")
            try await next.close()
            try await daemon.waitForNoDesktop()
            #expect(try await root.ask("Manager.SetEnabled", on)["error"] == nil)
            #expect(try await program.start(client).error == nil)
            #expect(try await daemon.savedDesktopLevels() == [:])
            try await program.close()
            await root.close()
        }
    }

    @Test("Start waits until an agent that has registered tells its level, and is refused if it does not")
    func unknownLevel() async throws {
        try await Self.run { daemon, bus in
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            try await shell.serveAgent(level: { nil }, isAllowed: { _ in true })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            let client = try await program.client()
            async let reply = program.start(client)
            await shell.awaitLevelQuestion()
            // All that it was to be given would have been asked for by now.
            #expect(try await program.properties(of: client).properties["Active"] == .boolean(false))
            #expect(try await daemon.status("subscriptions") == .integer(0))
            try await shell.answerLevel(8)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await reply.error == nil)

            // Asked again, it gives no level: what goes on does, and nothing new begins.
            try await shell.tellLevel(0)
            await shell.awaitLevelQuestion()
            try await shell.answerLevel(nil)
            let other = try await program.client("CreateClient")
            // What it was sent before is handled before this answer.
            #expect(try await shell.properties(of: ObjectPath.manager.text).error == nil)
            #expect(try await program.start(other).error == "AccessDenied")
            #expect(try await program.properties(of: client).properties["Active"] == .boolean(true))
            try await shell.tellLevel(8)
            await shell.awaitLevelQuestion()
            try await shell.answerLevel(8)
            #expect(try await shell.properties(of: ObjectPath.manager.text).error == nil)
            #expect(try await program.start(other).error == nil)

            // It goes without having answered: nothing is held for it.
            let silent = try await BusClient(bus.address)
            try await silent.serveAgent(level: { nil }, isAllowed: { _ in true })
            #expect(try await silent.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            await silent.awaitLevelQuestion()
            let last = try await program.client("CreateClient")
            async let held = program.start(last)
            try await silent.close()
            #expect(try await held.error == nil)
            try await shell.close()
            try await program.close()
        }
    }

    @Test("the desktop's dialog waits until its agent has told that locations are allowed")
    func dialogWaitsForLevel() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(isDeclared: false) { daemon, bus in
            try await daemon.reload { $0.clients = [Self.declared(claiming: application)] }
            let root = try await daemon.connect(as: .example(nil, user: 0))
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text(application), of: client)
            async let reply = program.start(client)
            _ = try await daemon.prompt(root)
            let asked = Asked()
            try await shell.serveAgent(level: { nil }, isAllowed: { asked.note($0) })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            await shell.awaitLevelQuestion()
            // What it was sent before is handled before this answer.
            #expect(try await shell.properties(of: ObjectPath.manager.text).error == nil)
            #expect(asked.applications == [])
            try await shell.answerLevel(8)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await reply.error == nil)
            #expect(asked.applications == [application])
            try await shell.close()
            try await program.close()
            await root.close()
        }
    }

    @Test("64 calls of Start wait for the user, and one more gets an error")
    func heldCalls() async throws {
        try await Self.run(isDeclared: false) { daemon, bus in
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

    @Test("an announced location is not readable any more once its declaration has vanished")
    func vanishedDeclaration() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            let client = try await program.located(daemon)
            #expect(try await program.stop(client).error == nil)
            #expect(try await program.latitude(of: "\(client)/Location/0") == Fix(number: 1).latitude)
            try await daemon.reload { $0.clients = [] }
            #expect(try await program.latitude(of: "\(client)/Location/0").isNaN)
            try await program.close()
        }
    }

    @Test("an announced location is not readable any more once the desktop has lowered the accuracy, also after Stop")
    func loweredAccuracy() async throws {
        try await Self.run { daemon, bus in
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let level = Level()
            try await shell.serveAgent(level: { level.value }, isAllowed: { _ in true })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            let client = try await program.located(daemon)
            #expect(try await program.stop(client).error == nil)
            #expect(try await program.latitude(of: "\(client)/Location/0") == Fix(number: 1).latitude)
            level.value = 4
            try await shell.tellLevel(4)
            try await daemon.wait(for: "the lowered level") { $0.desktops[getuid()] == .reduced }
            #expect(try await program.latitude(of: "\(client)/Location/0").isNaN)
            try await shell.close()
            try await program.close()
        }
    }

    @Test("the last two announced locations are readable while they are fresh, and no others")
    func announcedLocations() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            let client = try await program.located(daemon)
            func location(_ number: Int) -> String { "\(client)/Location/\(number)" }
            #expect(try await program.latitude(of: location(0)) == Fix(number: 1).latitude)
            try await daemon.emit(Fix(number: 2).event)
            #expect(try await program.latitude(of: location(0)) == Fix(number: 1).latitude)
            #expect(try await program.latitude(of: location(1)) == Fix(number: 2).latitude)
            #expect(try await program.latitude(of: location(0)) == Fix(number: 1).latitude)
            try await daemon.emit(Fix(number: 3).event)
            #expect(try await program.latitude(of: location(0)).isNaN)
            #expect(try await program.latitude(of: location(1)) == Fix(number: 2).latitude)
            #expect(try await program.latitude(of: location(2)) == Fix(number: 3).latitude)
            #expect(try await program.properties(of: location(3)).error == "UnknownObject")
            try await daemon.emit(.unavailable(.silent))
            for number in 0...2 { #expect(try await program.latitude(of: location(number)).isNaN) }
            try await program.close()
        }
    }

    @Test("who is not among Agents is no agent")
    func noAgent() async throws {
        try await Self.run { daemon, bus in
            try await daemon.reload { $0.daemon.agents = [] }
            let program = try await BusClient(bus.address)
            // Root may answer for everybody, whatever it runs.
            let error = try await program.manager("AddAgent", [.text("gnome-shell")]).error
            #expect(error == (getuid() == 0 ? nil : "AccessDenied"))
            try await program.close()
        }
    }
}

/// The applications that an agent was asked about, all of which it allows.
private final class Asked: Sendable {
    private let asked = Mutex<[String]>([])
    var applications: [String] { asked.withLock { $0 } }

    func note(_ application: String) -> Bool {
        asked.withLock { $0.append(application) }
        return true
    }
}

/// What an agent says its level is.
private final class Level: Sendable {
    private let level = Mutex<UInt32>(8)
    var value: UInt32 {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}

extension InstalledApplications {
    /// The id of some application that is installed here.
    fileprivate static var anyID: String? {
        guard let directory = opendir("/usr/share/applications") else { return nil }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let id = String(name.dropLast(".desktop".count))
            if name.hasSuffix(".desktop"), InstalledApplications().entry(id) != nil { return id }
        }
        return nil
    }
}

extension BusClient {
    /// A client object that has been told of a location, the first one.
    fileprivate func located(_ daemon: DaemonUnderTest) async throws -> String {
        let client = try await client()
        _ = try await set("RequestedAccuracyLevel", .number(8), of: client)
        async let reply = start(client)
        try await daemon.emitUntilNeeded(Fix(number: 1))
        #expect(try await reply.error == nil)
        return client
    }
}

extension AsyncStream<BusClient.Signal>.Iterator {
    /// Waits until a client object says that it is active, or is not.
    fileprivate mutating func waitFor(_ client: String, isActive: Bool) async throws {
        let change = BusClient.Signal(member: "Active", path: client, value: .boolean(isActive))
        _ = try await first("\(client) that is \(isActive ? "active" : "stopped")") { $0 == change }
    }
}

extension DaemonUnderTest {
    /// Waits until the front end is open, or is not.
    fileprivate func awaitFrontEnd(isOpen: Bool) async throws {
        try await wait(for: isOpen ? "an open front end" : "a closed front end") {
            $0.frontEnds.compactMap(\.status).first.map { ($0.problem == nil) == isOpen } ?? false
        }
    }

    /// Has the source report a location once somebody needs it.
    fileprivate func emitUntilNeeded(_ fix: Fix) async throws {
        for await isNeeded in source.needs where isNeeded { break }
        try await emit(fix.event)
    }

    /// The prompts that are open.
    fileprivate func prompts(_ agent: any Peer) async throws -> [JSONValue] {
        guard case .array(let prompts)? = try await agent.ask("Agent.ListPrompts")["parameters"]?["prompts"] else {
            return []
        }
        return prompts
    }

    /// Waits for a prompt.
    fileprivate func prompt(_ agent: any Peer) async throws -> JSONValue {
        try await wait(for: "a prompt") { $0.authorizer.requestCount > 0 }
        return try #require(try await prompts(agent).first)
    }

    /// Answers a prompt.
    fileprivate func decide(_ choice: String, _ prompt: JSONValue, _ agent: any Peer) async throws {
        guard case .integer(let id)? = prompt["id"] else { throw BusClient.Missing(description: "an id") }
        _ = try await agent.ask("Agent.Answer", #"{"id":\#(id),"choice":"\#(choice)"}"#)
    }
}
