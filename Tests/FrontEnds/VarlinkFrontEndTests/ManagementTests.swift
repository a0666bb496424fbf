import DaemonTestSupport
import LocationModel
import Glibc
import LocationConfiguration
import LocationPolicy
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationSources
@testable import Varlink

@Suite("Management", .timeLimit(.minutes(10)))
struct ManagementTests {
    @Test("a reload that revokes is reported before the next fix, which is not sent", arguments: Transport.allCases)
    func revoked(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            let peer = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            try await peer.expect(Fix(number: 1).delivery())
            #expect(await needs.next() == true)
            try await daemon.reload { $0.clients = [.example(policy: .restricted)] }
            #expect(await needs.next() == false)
            try await daemon.emit(Fix(number: 2).event)
            try await peer.expect(diagnostic("authorizationRestricted"))
            try await daemon.reload { $0.clients = [.example()] }
            #expect(await needs.next() == true)
            try await daemon.emit(Fix(number: 3).event)
            try await peer.expect(Fix(number: 3).delivery())
        }
    }

    @Test("a reload that removes the declaration ends streams and requests", arguments: Transport.allCases)
    func undeclared(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport, clients: [.example(), .example("org.example.B", executable: "/b")]) {
            daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            let asking = try await daemon.connect()
            try await asking.call("Location.GetLocation")
            #expect(await needs.next() == true)
            let (peer, other) = (try await daemon.subscribe(), try await daemon.subscribe(as: .example("/b")))
            try await daemon.reload { $0.clients.removeFirst() }
            for ended in [peer, asking] {
                try await ended.expectError("org.locationd.Authorization.ClientNotDeclared")
                // The connection is as good as before.
                try await ended.call("Authorization.GetStatus")
                try await ended.expectError("org.locationd.Authorization.ClientNotDeclared")
            }
            try await daemon.emit(Fix(number: 1).event)
            try await other.expect(Fix(number: 1).delivery())
        }
    }

    @Test("the status of the service has its source, limits and counts", arguments: Transport.allCases)
    func status(transport: Transport) async throws {
        let own = ClientDeclaration.example("org.locationd.locationctl", executable: "/usr/bin/locationctl")
        try await DaemonUnderTest.run(transport, clients: [.example(), own]) { daemon in
            let observer = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 1))
            try await daemon.reload {
                $0.problems = [
                    ConfigurationProblem(file: "/a.plist", keyPath: "Match.Executable", line: 3, message: "No.")
                ]
            }
            let subscriber = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            try await subscriber.expect(Fix(number: 1).delivery())
            // The harness has connections of its own, which may be closing.
            try await daemon.ensure(connections: 2)
            let status = try #require(try await observer.ask("Manager.GetServiceStatus")["parameters"])
            #expect(
                try status["problems"]
                    == json(#"[{"file":"/a.plist","line":3,"keyPath":"Match.Executable","message":"No."}]"#))
            #expect(status["subscriptions"] == .integer(1))
            #expect(status["clients"] == .integer(2))
            #expect(status["isLocationAvailable"] == .bool(true))
            #expect(status["isEnabled"] == .bool(true))
            #expect(status["isEnabledForUser"] == .bool(true))
            #expect(status["hasAgent"] == .bool(false))
            #expect(
                try status["sources"]
                    == json(
                        #"[{"kind":"receiver","name":"a script","state":"connected","isCurrent":false,"age":0.5,"version":"3.22","#
                            + #""counters":{"droppedBackward":0,"lateRefinements":0,"rejectedLines":0,"reconnects":0},"#
                            + #""receivers":[{"device":"/dev/script","driver":"NMEA0183","isCurrent":true,"#
                            + #""mode":"fix3D","satellitesUsed":7,"satellitesSeen":9,"fixAge":0.5,"interval":1}]}]"#))
        }
    }

    @Test(
        "a program without exact locations learns nothing about the receiver or other connections",
        arguments: [
            (nil, 1), ("/usr/bin/undeclared", 4242), ("/usr/bin/denied", 4242), ("/usr/bin/reduced", 4242),
        ] as [(String?, UInt32)])
    func bareStatus(executable: String?, user: UInt32) async throws {
        let denied = ClientDeclaration.example("org.example.Denied", executable: "/usr/bin/denied", policy: .restricted)
        let reduced = ClientDeclaration.example(
            "org.example.Reduced", executable: "/usr/bin/reduced", policy: .preset(.always, accuracy: .reduced))
        try await DaemonUnderTest.run(.inProcess, clients: [.example(), denied, reduced]) { daemon in
            let subscriber = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            try await subscriber.expect(Fix(number: 1).delivery())
            let stranger = try await daemon.connect(as: .example(executable, user: user))
            let status = try #require(try await stranger.ask("Manager.GetServiceStatus")["parameters"])
            for key in ["isLocationAvailable", "connections", "subscriptions", "deliveries", "memoryInUse"] {
                #expect(status[key] == nil, "\(key)")
            }
            #expect(
                try status["sources"]
                    == json(
                        #"[{"kind":"receiver","name":"a script","state":"connected","receivers":[],"counters":{}}]"#))
            #expect(status["isEnabled"] == .bool(true))
        }
    }

    @Test("a manager shows its user the receiver if it may have exact locations itself; root always sees it")
    func statusForManager() async throws {
        let own = ClientDeclaration.example("org.locationd.locationctl", executable: "/usr/bin/locationctl")
        try await DaemonUnderTest.run(.socket, clients: [.example(), own]) { daemon in
            try await daemon.reload { $0.problems = [ConfigurationProblem(file: "/a.plist", message: "No.")] }
            let subscriber = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            try await subscriber.expect(Fix(number: 1).delivery())
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 4242))
            let root = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 0))
            func expectReceiver(_ isShown: Bool, after call: String = "", _ parameters: String = "{}") async throws {
                if !call.isEmpty {
                    #expect(try await manager.ask("Manager.\(call)", parameters)["error"] == nil, "\(call)")
                }
                let status = try #require(try await manager.ask("Manager.GetServiceStatus")["parameters"])
                for key in ["isLocationAvailable", "connections", "subscriptions"] {
                    #expect((status[key] != nil) == isShown, "\(key) after \(call) \(parameters)")
                }
                let sources = "\(try #require(status["sources"]))"
                #expect(sources.contains("/dev/script") == isShown, "\(call) \(parameters)")
                // The reasons for which the service may not work.
                #expect(sources.contains("3.22"))
                #expect(try status["problems"] == json(#"[{"file":"/a.plist","message":"No."}]"#))
                #expect(try await root.ask("Manager.GetServiceStatus")["parameters"]?["isLocationAvailable"] != nil)
            }
            let client = #""client":"org.locationd.locationctl""#
            try await expectReceiver(true)
            try await expectReceiver(false, after: "SetAccuracy", "{\(client),\"accuracy\":\"reduced\"}")
            try await expectReceiver(true, after: "SetAccuracy", "{\(client),\"accuracy\":\"full\"}")
            try await expectReceiver(false, after: "SetAuthorization", "{\(client),\"authorization\":\"denied\"}")
            try await expectReceiver(
                true, after: "SetAuthorization", "{\(client),\"authorization\":\"authorizedAlways\"}")
            try await expectReceiver(false, after: "SetEnabled", #"{"isEnabled":false}"#)
            try await expectReceiver(true, after: "SetEnabled", #"{"isEnabled":true}"#)
            // The same at home and elsewhere.
            let home = #"{"name":"home","latitude":1,"longitude":1,"radius":300}"#
            try await expectReceiver(true, after: "AddPlace", "{\"place\":\(home)}")
            try await expectReceiver(true, after: "AddRule", #"{"rule":{"inside":"home","deny":true}}"#)
            try await expectReceiver(true, after: "AddRule", #"{"rule":{"outside":"home","deny":true}}"#)
            try await expectReceiver(false, after: "AddRule", #"{"rule":{"deny":true}}"#)
        }
    }

    @Test(
        "doubts about a receiver are reported to those who may see receivers, and in the explanation; its location is delivered"
    )
    func doubts() async throws {
        let own = ClientDeclaration.example("org.locationd.locationctl", executable: "/usr/bin/locationctl")
        try await DaemonUnderTest.run(.socket, clients: [.example(), own]) { daemon in
            let subscriber = try await daemon.subscribe()
            var location = Location(
                coordinate: Coordinate(latitude: 48, longitude: 11)!,
                timestamp: Timestamp(nanosecondsSince1970: 1_795_000_000_000_000_000))
            location.sourceInformation = .init(kind: .receiver, device: "/dev/jammed")
            var report = PositionReport(
                device: "/dev/jammed", mode: .threeDimensional, time: location.timestamp, location: location)
            (report.jamming, report.hasAntennaFault) = (200, true)
            // The second epoch completes the first.
            for _ in 0..<2 {
                let (source, now) = (daemon.source, report)
                try await daemon.onLoop { _ in source.report?(.receiver(.position(now), clock: nil)) }
                report.time = location.timestamp.advanced(by: .seconds(1))
                report.location?.timestamp = location.timestamp.advanced(by: .seconds(1))
            }
            // The group of this daemon reports to nobody.
            try await daemon.emit(.location(location))
            #expect(try await locationTime(subscriber) == "\(location.timestamp)")
            func doubts(_ peer: PeerIdentity) async throws -> [JSONValue?] {
                let status = try await daemon.manage("GetServiceStatus", "{}", as: peer)["parameters"]
                guard case .array(let sources)? = status?["sources"] else { throw AwaitedInVain("sources") }
                guard case .array(let receivers)? = sources.first?["receivers"] else {
                    throw AwaitedInVain("receivers")
                }
                guard case .array(let doubts)? = receivers.last?["doubts"] else { return [] }
                return doubts.map { $0["sign"] }
            }
            #expect(
                try await doubts(.example("/usr/bin/locationctl", user: 0)) == [
                    .string("jamming"), .string("antennaFault"),
                ])
            #expect(try await doubts(.example("/usr/bin/stranger", user: 4242)) == [])
            guard
                case .array(let steps)? = try await daemon.manage("Explain", #"{"client":"org.example.App"}"#)[
                    "parameters"]?["steps"]
            else { throw AwaitedInVain("an explanation") }
            let found = steps.filter { $0["rule"] == .string("Is the receiver to be trusted?") }.map { "\($0)" }
            #expect(found.count == 2)
            #expect(found.first?.contains("doubtful: It measures interference (200 of 255)") == true)
        }
    }

    @Test("the state contains what concerns the caller's user, and no other")
    func statusForUser() async throws {
        func flags(_ peer: any Peer) async throws -> [JSONValue?] {
            let status = try await peer.ask("Manager.GetServiceStatus")["parameters"]
            return [status?["isEnabled"], status?["isEnabledForUser"], status?["hasAgent"]]
        }
        try await DaemonUnderTest.run(.socket) { daemon in
            let mine = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 1))
            let other = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 2))
            let root = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 0))
            #expect(try await flags(mine) == [.bool(true), .bool(true), .bool(false)])
            let agent = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 1))
            try await agent.call("Agent.Register", more: true)
            try await agent.expect(#"{"parameters":{"activities":[]},"continues":true}"#)
            #expect(try await mine.ask("Manager.SetEnabled", #"{"isEnabled":false}"#)["error"] == nil)
            #expect(try await flags(mine) == [.bool(true), .bool(false), .bool(true)])
            #expect(try await flags(other) == [.bool(true), .bool(true), .bool(false)])
            #expect(try await root.ask("Manager.SetEnabled", #"{"isEnabled":false,"isSystem":true}"#)["error"] == nil)
            #expect(try await flags(other) == [.bool(false), .bool(true), .bool(false)])
        }
    }

    @Test("Reload is for root and the daemon's own user", arguments: Transport.allCases)
    func reloadPermission(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            for user in [0, geteuid()] {
                let peer = try await daemon.connect(as: .example(nil, user: user))
                #expect(try await peer.ask("Manager.Reload") == json(#"{"parameters":{"problems":[]}}"#))
            }
            let other = try await daemon.connect(as: .example(user: geteuid() + 4242))
            try await other.call("Manager.Reload")
            try await other.expectError("org.varlink.service.PermissionDenied")
        }
    }

    @Test("the interface descriptions can be read", arguments: Transport.allCases)
    func introspection(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.connect(as: .example(nil))
            try await peer.send(#"{"method":"org.varlink.service.GetInfo"}"# + "\0")
            guard case .array(let interfaces) = try await peer.next()["parameters"]?["interfaces"] else {
                Issue.record("no list of interfaces")
                return
            }
            for name in ["Location", "Authorization", "Manager"] {
                #expect(interfaces.contains(.string("org.locationd.\(name)")))
            }
        }
    }
}
