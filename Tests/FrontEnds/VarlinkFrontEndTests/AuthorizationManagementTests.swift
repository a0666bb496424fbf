import DaemonTestSupport
import FoundationEssentials
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Decisions by command, switches of location services, explanations and history. With a store on disk, so over a socket.
@Suite(.timeLimit(.minutes(10))) struct AuthorizationManagementTests {
    private func run(
        _ declaration: ClientDeclaration = .undecided,
        _ test: (DaemonUnderTest) async throws -> Void
    ) async throws {
        try await DaemonUnderTest.run(.socket, clients: [declaration], test)
    }

    @Test("disabled location services read as denied, and enabling them restores every decision")
    func disablingServicesDeniesAndEnablingRestores() async throws {
        try await run { daemon in
            _ = try await daemon.decide("authorizedAlways")
            let client = try await daemon.subscribe()
            #expect(try await daemon.manage("SetEnabled", #"{"isEnabled":false}"#)["error"] == nil)
            try await client.expect(diagnostic("authorizationDenied"))
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await daemon.manage("SetEnabled", #"{"isEnabled":true}"#)["error"] == nil)
            try await daemon.emit(Fix(number: 2).event)
            #expect(try await locationTime(client) == Fix(number: 2).time)
            let system = try await daemon.manage("SetEnabled", #"{"isEnabled":false,"isSystem":true}"#)
            #expect(system["error"] == .string("org.varlink.service.PermissionDenied"), "that is root's")
        }
    }

    @Test("a reduced location has only a coordinate, a radius and a time")
    func reducedLocationHasPlaceRadiusAndTimeOnly() async throws {
        try await run { daemon in
            _ = try await daemon.decide("authorizedAlways")
            _ = try await daemon.manage("SetAccuracy", #"{"client":"org.example.App","accuracy":"reduced"}"#)
            let client = try await daemon.subscribe()
            try await client.expect(diagnostic("accuracyLimited"))
            try await daemon.emit(Fix(number: 1).event)
            guard case .object(let location) = try await client.next()["parameters"]?["location"] else {
                Issue.record("no location")
                return
            }
            #expect(Set(location.keys) == ["latitude", "longitude", "horizontalAccuracy", "timestamp"])
            #expect(location["latitude"] != .number(Fix(number: 1).latitude))
        }
    }

    @Test("history and explanations are limited to the caller's own user")
    func historyAndExplanationAreLimitedToCaller() async throws {
        try await run { daemon in
            _ = try await daemon.decide("authorizedAlways")
            let client = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event, Fix(number: 2).event)
            _ = try await locationTime(client)
            guard case .array(let sessions) = try await daemon.manage("ListAccess", "{}")["parameters"]?["sessions"]
            else {
                Issue.record("no history")
                return
            }
            #expect(sessions.count == 1)
            #expect(sessions.first?["client"] == .string("org.example.App"))
            #expect(sessions.first?["count"] == .integer(2))
            let others = try await daemon.manage("ListAccess", "{}", as: .agentOfAnother)
            #expect(others["parameters"]?["sessions"] == .array([]))
            let prying = try await daemon.manage(
                "ListAccess", #"{"userID":4242}"#, as: .agentOfAnother)
            #expect(prying["error"] == .string("org.varlink.service.PermissionDenied"))
            let unlisted = try await daemon.manage("ListAccess", "{}", as: .example("/usr/bin/example"))
            #expect(unlisted["error"] == .string("org.locationd.Manager.NotAManager"))
            let why = try await daemon.manage("Explain", #"{"client":"org.example.App"}"#)
            guard case .array(let steps) = why["parameters"]?["steps"] else {
                Issue.record("no explanation")
                return
            }
            let decisive = steps.filter { $0["isDecisive"] == .bool(true) }
            #expect(decisive.count == 1)
            #expect(decisive.first?["found"] == .string("allow always"))
        }
    }

    // MARK: Failures to save

    /// The state and the sentence agree, and a repetition is not taken for done.
    @Test("a denial that cannot be saved is in force until the daemon exits, and its answer says so")
    func unsavedDenialHoldsUntilExit() async throws {
        try await run { daemon in
            _ = try await daemon.decide("authorizedAlways")
            let client = try await daemon.subscribe()
            await daemon.loseDisk()
            for _ in 1...2 {
                let denied = try await daemon.decide("denied")
                #expect(denied["error"] == .string("org.locationd.Manager.NotSaved"))
                #expect(denied["parameters"]?["isInForce"] == .bool(true))
            }
            try await client.expect(diagnostic("authorizationDenied"))
            let allowed = try await daemon.decide("authorizedWhenInUse")
            #expect(allowed["parameters"]?["isInForce"] == .bool(false))
            #expect(try await daemon.authorizationStatus() == .string("denied"))
        }
    }

    @Test("switching off that cannot be saved is in force until the daemon exits; switching on is not")
    func unsavedOffHoldsUntilExitAndOnDoesNot() async throws {
        try await run { daemon in
            _ = try await daemon.decide("authorizedAlways")
            await daemon.loseDisk()
            let off = try await daemon.manage("SetEnabled", #"{"isEnabled":false}"#)
            #expect(off["error"] == .string("org.locationd.Manager.NotSaved"))
            #expect(off["parameters"]?["isInForce"] == .bool(true))
            #expect(try await daemon.authorizationStatus() == .string("denied"))
            let on = try await daemon.manage("SetEnabled", #"{"isEnabled":true}"#)
            #expect(on["parameters"]?["isInForce"] == .bool(false))
            #expect(try await daemon.authorizationStatus() == .string("denied"))
        }
    }

    // MARK: A database that is moved

    private func put(_ from: String, _ to: String, in directory: TemporaryDirectory) {
        #expect(rename("\(directory.path)/\(from)", "\(directory.path)/\(to)") == 0)
    }

    @Test(
        "a decision while the database is moved away is not acknowledged; the next is, in the file that is there then")
    func decisionWithMovedDatabaseIsNotAcknowledged() async throws {
        try await run { daemon in
            #expect(try await daemon.decide("denied")["error"] == nil)
            #expect(
                try await daemon.manage("SetEnabled", #"{"isEnabled":false}"#, as: .agentOfAnother)[
                    "error"] == nil)
            put("locationd.db", "elsewhere", in: daemon.directory)
            let allowed = try await daemon.decide("authorizedAlways")
            #expect(allowed["error"] == .string("org.locationd.Manager.NotSaved"))
            #expect(allowed["parameters"]?["isInForce"] == .bool(false))
            #expect(try await daemon.authorizationStatus() == .string("denied"))
            try await daemon.finishDiskWork()
            let stored = try await daemon.stored()
            #expect(stored.records.mapValues(\.grant) == [ClientKey(userID: 4242, client: "org.example.App"): .denied])
            #expect(stored.disabled == [4343], "what restricted is in the new file")
            #expect(try await daemon.decide("authorizedAlways")["error"] == nil)
            #expect(try await daemon.authorizationStatus() == .string("authorizedAlways"))
            #expect(try await daemon.stored().records.values.map(\.grant) == [.always])
        }
    }

    @Test(
        "the grants of a restored database count, and a later denial stays in force", arguments: [true, false])
    func restoredDatabaseCounts(isCopiedOver: Bool) async throws {
        try await DaemonUnderTest.run(
            .socket,
            clients: [
                .example(policy: ClientPolicy()), .example("org.example.B", executable: "/b", policy: ClientPolicy()),
            ]
        ) { daemon in
            func decide(_ client: String, _ authorization: String) async throws -> JSONValue {
                try await daemon.manage("SetAuthorization", Self.decision(client, authorization))
            }
            for client in ["org.example.App", "org.example.B"] {
                #expect(try await decide(client, "authorizedAlways")["error"] == nil)
            }
            let path = daemon.directory.path
            let backup = try Data(contentsOf: URL(filePath: "\(path)/locationd.db"))
            #expect(try await decide("org.example.App", "denied")["error"] == nil)
            #expect(try await decide("org.example.B", "notDetermined")["error"] == nil)
            let file = isCopiedOver ? "locationd.db" : "backup"
            try backup.write(to: URL(filePath: "\(path)/\(file)"))
            if !isCopiedOver { put("backup", "locationd.db", in: daemon.directory) }
            #expect(try await decide("org.example.B", "denied")["parameters"]?["isInForce"] == .bool(true))
            try await daemon.finishDiskWork()
            #expect(try await daemon.authorizationStatus() == .string("denied"))
            let other = try await daemon.connect(as: .example("/b"))
            #expect(try await other.ask("Authorization.GetStatus")["parameters"]?["status"] == .string("denied"))
            let records = try await daemon.stored().records
            #expect(records[ClientKey(userID: 4242, client: "org.example.App")]?.grant == .denied)
            #expect(try await decide("org.example.B", "denied")["error"] == nil)
            #expect(try await daemon.stored().records.values.map(\.grant) == [.denied, .denied])
            #expect(daemon.log.lines.contains { $0.contains("was moved or overwritten") })
        }
    }

    @Test("after damage services are off and presets wait until an administrator decides, which the status reports")
    func afterDamage() async throws {
        let damage: (TemporaryDirectory) throws -> Void = { directory in
            try Data("x".utf8).write(to: URL(filePath: directory.path + "/locationd.db"))
        }
        try await DaemonUnderTest.run(.socket, prepare: damage) { (daemon: DaemonUnderTest) async throws in
            #expect(try await daemon.authorizationStatus() == .string("denied"))
            #expect(try await daemon.status("isOffAfterDamage") == .bool(true))
            #expect(daemon.log.lines.contains { $0.contains("sudo locationctl on --system") })
            #expect(try await daemon.manage("SetEnabled", #"{"isEnabled":true}"#)["error"] == nil)
            #expect(try await daemon.authorizationStatus() == .string("denied"), "that is not a user's to decide")
            let on = #"{"isEnabled":true,"isSystem":true}"#
            #expect(try await daemon.manage("SetEnabled", on, as: .example("/bin/sh", user: 0))["error"] == nil)
            #expect(try await daemon.authorizationStatus() == .string("authorizedAlways"))
            #expect(try await daemon.status("isOffAfterDamage") == nil)
            #expect(try await daemon.stored().disabled.isEmpty)
        }
    }

    // MARK: Limits

    @Test("a decision returns the limits that keep it from taking full effect")
    func decisionReturnsItsLimits() async throws {
        var declaration = ClientDeclaration.undecided
        declaration.policy.maximumAuthorization = .whenInUse
        declaration.policy.maximumAccuracy = .reduced
        try await run(declaration) { daemon in
            let file = JSONValue.string(declaration.file)
            let always = try await daemon.decide("authorizedAlways")["parameters"]
            #expect(always?["status"] == .string("authorizedWhenInUse"))
            #expect(
                always?["limits"] == .array([.object(["reason": .string("maximumAuthorization"), "file": file])]))
            #expect(try await daemon.decide("authorizedWhenInUse")["parameters"]?["limits"] == .array([]))
            let full = try await daemon.manage("SetAccuracy", #"{"client":"org.example.App","accuracy":"full"}"#)[
                "parameters"]
            #expect(full?["limits"] == .array([.object(["reason": .string("maximumAccuracy"), "file": file])]))
            _ = try await daemon.manage("SetEnabled", #"{"isEnabled":false}"#)
            _ = try await daemon.manage(
                "SetEnabled", #"{"isEnabled":false,"isSystem":true}"#, as: .example("/bin/sh", user: 0))
            _ = try await daemon.manage("SetAccuracy", #"{"client":"org.example.App","accuracy":"reduced"}"#)
            let off = try await daemon.decide("authorizedWhenInUse")["parameters"]
            #expect(off?["status"] == .string("denied"))
            #expect(
                off?["limits"]
                    == .array([
                        .object(["reason": .string("servicesOffForMachine")]),
                        .object(["reason": .string("servicesOffForUser")]),
                    ]))
            #expect(try await daemon.decide("denied")["parameters"]?["limits"] == .array([]), "that has its effect")
        }
    }

    // MARK: Programs that are not declared

    private static func decision(_ client: String, _ authorization: String) -> String {
        #"{"client":"\#(client)","authorization":"\#(authorization)"}"#
    }

    @Test("a decision about an unknown program is refused, in every form of a name")
    func decisionAboutUnknownProgramIsRefused() async throws {
        try await run { daemon in
            for name in ["/usr/bin/x:org.example.X", "flatpak:org.example.X", "unit:x.service", "x"] {
                for user in [4242, 0] as [UInt32] {
                    for authorization in ["denied", "authorizedAlways", "notDetermined"] {
                        let reply = try await daemon.manage(
                            "SetAuthorization", Self.decision(name, authorization),
                            as: .example("/usr/bin/locationctl", user: user))
                        #expect(reply["error"] == .string("org.locationd.Manager.NoSuchClient"), "\(name)")
                    }
                    let accuracy = try await daemon.manage(
                        "SetAccuracy", #"{"client":"\#(name)","accuracy":"reduced"}"#,
                        as: .example("/usr/bin/locationctl", user: user))
                    #expect(accuracy["error"] == .string("org.locationd.Manager.NoSuchClient"))
                }
            }
            try await daemon.settle()
            #expect(try await daemon.knownUsersAndClients()[1] == 0)
        }
    }

    @Test("a program that is connected, or has a decision, can be decided about")
    func decisionAboutKnownProgramIsAccepted() async throws {
        try await run { daemon in
            let leave = try await daemon.connectUndeclared("/usr/bin/x", user: 4242)
            #expect(try await daemon.manage("SetAuthorization", Self.decision("/usr/bin/x", "denied"))["error"] == nil)
            try await leave()
            let again = try await daemon.manage("SetAuthorization", Self.decision("/usr/bin/x", "authorizedWhenInUse"))
            #expect(again["parameters"]?["status"] == .string("authorizedWhenInUse"))
            let reset = try await daemon.manage("SetAuthorization", Self.decision("/usr/bin/x", "notDetermined"))
            #expect(reset["error"] == nil)
            try await daemon.settle()
            #expect(try await daemon.knownUsersAndClients()[1] == 0)
        }
    }

    @Test("a program can be decided about by its path before it asks, and by its name once it is known")
    func programsByPathAndName() async throws {
        try await run { daemon in
            let before = try await daemon.manage("SetAuthorization", Self.decision("/usr/bin/gpspipe", "denied"))
            #expect(before["parameters"]?["status"] == .string("denied"))
            let named = try await daemon.manage("SetAuthorization", Self.decision("gpspipe", "authorizedWhenInUse"))
            #expect(named["parameters"]?["status"] == .string("authorizedWhenInUse"))
            let explained = try await daemon.manage("Explain", #"{"client":"gpspipe"}"#)
            #expect(explained["error"] == nil)
            let rules = try await daemon.manage("ListRules", #"{"client":"gpspipe"}"#)
            #expect(rules["error"] == nil)
            // Nobody knows which of two is meant.
            let leave = try await daemon.connectUndeclared("/usr/local/bin/gpspipe", user: 4242)
            let ambiguous = try await daemon.manage("SetAuthorization", Self.decision("gpspipe", "denied"))
            #expect(ambiguous["error"] == .string("org.locationd.Manager.NoSuchClient"))
            try await leave()
            // Nor is it known what another user calls so.
            let other = try await daemon.manage(
                "SetAuthorization", Self.decision("gpspipe", "denied"), as: .example("/usr/bin/locationctl", user: 77))
            #expect(other["error"] == .string("org.locationd.Manager.NoSuchClient"))
        }
    }

    @Test("one more decision replaces the oldest about an undeclared program, which becomes undecided")
    func oldestDecisionGivesWay() async throws {
        try await DaemonUnderTest.run(.socket, limits: { $0.decisionsPerUser = 16 }) { daemon in
            for number in 0..<17 {
                // The oldest stays connected.
                let leave = try await daemon.connectUndeclared("/usr/bin/x\(number)", user: 4242)
                let reply = try await daemon.manage(
                    "SetAuthorization", Self.decision("/usr/bin/x\(number)", "authorizedAlways"))
                #expect(reply["error"] == nil)
                if number > 0 { try await leave() }
            }
            let reply = try await daemon.manage("ListClients", "{}")["parameters"]
            guard case .array(let clients) = reply?["clients"] else {
                Issue.record("no list: \(String(describing: reply))")
                return
            }
            let statuses = clients.map { [$0["client"], $0["status"]] }
            #expect(statuses.count == 18)
            #expect(statuses.contains([.string("/usr/bin/x0"), .string("notDetermined")]))
            #expect(statuses.contains([.string("/usr/bin/x1"), .string("authorizedAlways")]))
            #expect(statuses.contains([.string("/usr/bin/x16"), .string("authorizedAlways")]))
            #expect(statuses.contains([.string("org.example.App"), .string("authorizedAlways")]))
        }
    }

    // MARK: History

    @Test("history counts an approximate location whose exact one was sent before")
    func exactThenReduced() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let client = try await daemon.subscribe()
            // Before the fix, which is not sent again once it is old.
            let manager = try await daemon.connect(as: .agent)
            try await daemon.emit(Fix(number: 1).event)
            try await client.expect(Fix(number: 1).delivery())
            try await manager.call("Manager.SetAccuracy", #"{"client":"org.example.App","accuracy":"reduced"}"#)
            try await daemon.finishDiskWork()
            _ = try await manager.next()
            var reply = try await client.next()
            while reply["parameters"]?["location"] == nil { reply = try await client.next() }
            try await manager.call("Manager.ListAccess")
            try await daemon.finishDiskWork()
            guard case .array(let sessions) = try await manager.next()["parameters"]?["sessions"] else {
                Issue.record("no history")
                return
            }
            #expect(sessions.compactMap { $0["count"]?.number } == [2])
        }
    }

    /// Socket buffers are large: in process a peer can stop to read at once.
    @Test("a location that a slow reader gets later is recorded in history")
    func lateDeliveryIsRecordedInHistory() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let client = try await daemon.subscribe()
            try await client.stopReading()
            try await daemon.emit(Fix(number: 1, accuracy: 9).event, Fix(number: 2, accuracy: 7).event)
            try await client.resumeReading()
            try await client.expect(Fix(number: 2, accuracy: 7).delivery(skipped: 1))
            let manager = try await daemon.connect(as: .agent)
            try await manager.call("Manager.ListAccess")
            try await daemon.finishDiskWork()
            guard case .array(let sessions) = try await manager.next()["parameters"]?["sessions"] else {
                Issue.record("no history")
                return
            }
            #expect(sessions.count == 1)
            #expect(sessions.first?["count"] == .integer(1), "not the one that was skipped")
            #expect(sessions.first?["finestAccuracy"] == .integer(7))
        }
    }
}
