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

// Tests of the desktop's agent, its dialog and its switch.

extension GeoClueFrontEndTests {
    @Test(
        "the desktop's agent answers prompts, is shown the programs in use, and switches its user's programs off and on"
    )
    func agent() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(clients: []) { daemon, bus in
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
            try await shell.setLevel(0)
            try await signals.waitFor(client, isActive: false)
            #expect(try await program.latitude(of: "\(client)/Location/0").isNaN)
            #expect(await shown.next()?.value == .boolean(false))
            level.value = 8
            try await shell.setLevel(8)
            try await signals.waitFor(client, isActive: true)
            try await shell.close()
            try await program.close()
        }
    }

    @Test("a program that the desktop's agent allowed is denied when it starts again and the agent denies it")
    func changedAnswer() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(clients: []) { daemon, bus in
            try await daemon.reload { $0.clients = [Self.declared(claiming: application)] }
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            // 8 stands for yes.
            let answer = Level()
            try await shell.serveAgent(level: { 8 }, isAllowed: { _ in answer.value == 8 })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text(application), of: client)
            _ = try await program.set("RequestedAccuracyLevel", .number(8), of: client)
            for isAllowed in [true, false, true, false] {
                answer.value = isAllowed ? 8 : 0
                async let reply = program.start(client)
                if isAllowed {
                    try await daemon.emitUntilNeeded(Fix(number: 1))
                    #expect(try await reply.error == nil)
                } else {
                    #expect(try await reply.error == "AccessDenied")
                    #expect(try await program.properties(of: client).properties["Active"] == .boolean(false))
                    #expect(try await daemon.status("subscriptions") == .integer(0))
                    #expect(try await daemon.stored().records.values.map(\.grant) == [.denied])
                }
                #expect(try await program.stop(client).error == nil)
            }
            try await shell.close()
            try await program.close()
        }
    }

    @Test(
        "the desktop's switch stays in force after its agent has ended, on disk, until an agent or the user changes it")
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
            try await shell.setLevel(0)
            try await signals.waitFor(client, isActive: false)

            // The Shell ends. Nothing comes back by itself, and nothing new begins.
            try await daemon.waitForNoDesktop { try await shell.close() }
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
            try await next.setLevel(0)
            try await signals.waitFor(client, isActive: false)
            let on = #"{"isEnabled":true,"userID":\#(getuid())}"#
            #expect(try await root.ask("Manager.SetEnabled", on)["error"] == nil)
            #expect(try await program.stop(client).error == nil)
            #expect(try await program.start(client).error == "AccessDenied")
            try await daemon.waitForNoDesktop { try await next.close() }
            #expect(try await root.ask("Manager.SetEnabled", on)["error"] == nil)
            #expect(try await program.start(client).error == nil)
            #expect(try await daemon.savedDesktopLevels() == [:])
            try await program.close()
            await root.close()
        }
    }

    @Test("Start waits until a registered agent sets its level, and is refused if it does not")
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
            try await shell.setLevel(0)
            await shell.awaitLevelQuestion()
            try await shell.answerLevel(nil)
            let other = try await program.client("CreateClient")
            // What it was sent before is handled before this answer.
            #expect(try await shell.properties(of: ObjectPath.manager.text).error == nil)
            #expect(try await program.start(other).error == "AccessDenied")
            #expect(try await program.properties(of: client).properties["Active"] == .boolean(true))
            try await shell.setLevel(8)
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

    @Test("the desktop's dialog waits until its agent has reported that locations are allowed")
    func dialogWaitsForLevel() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(clients: []) { daemon, bus in
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

    @Test("a program that is not among Agents is not an agent")
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
