import LocationModel
import Testing

@testable import FleetModel

/// A fleet and a clock that the test turns.
private struct Site {
    var fleet: Fleet
    var now = Timestamp(secondsSince1970: 1_795_000_000)

    init(limit: Int = Fleet.usualLimit, tracksChanges: Bool = false) {
        fleet = Fleet(limit: limit, tracksChanges: tracksChanges)
    }

    @discardableResult
    mutating func position(
        of device: String = "van7", _ latitude: Double = 47, age: Int = 0, with more: String = "",
        isRetained: Bool = false,
        expiry: UInt32? = nil
    ) -> Fleet.Change {
        let time = Int(now.secondsSince1970) - age
        return publish(
            #"{"_type":"location","lat":\#(latitude),"lon":9.5,"tst":\#(time)\#(more.isEmpty ? "" : "," + more)}"#,
            on: "owntracks/fleet/\(device)", isRetained: isRetained, expiry: expiry)
    }

    @discardableResult
    mutating func publish(
        _ text: String, on topic: String = "owntracks/fleet/van7", isRetained: Bool = false, expiry: UInt32? = nil
    ) -> Fleet.Change {
        fleet.take(Array(text.utf8), topic: topic, isRetained: isRetained, expiry: expiry, at: now)
    }

    mutating func wait(_ seconds: Int) { now = now.advanced(by: .seconds(seconds)) }

    var van: Vehicle? { fleet.vehicle("owntracks/fleet/van7", at: now) }
    var state: VehicleState? { van?.state(at: now) }
}

@Suite("Vehicles at a broker")
struct FleetTests {
    @Test("an older position never replaces a newer one, and one that comes twice changes nothing")
    func order() {
        var site = Site()
        #expect(site.position(47.1, age: 10) == .changed("owntracks/fleet/van7"))
        #expect(site.position(47.2, age: 20) == .none)
        #expect(site.van?.position.location.coordinate.latitude == 47.1)
        #expect(site.position(47.3, age: 5) == .changed("owntracks/fleet/van7"))
        site.position(47.3, age: 5)
        #expect(site.van?.position.location.coordinate.latitude == 47.3 && site.van?.interval == 5)
    }

    @Test("a message of the future or without a place does not replace the position")
    func implausible() {
        var site = Site()
        site.position(47.1)
        #expect(site.position(10, age: -301) == .none)
        #expect(site.publish(#"{"_type":"transition","lat":1,"lon":1,"tst":1795000000}"#) == .none)
        #expect(site.van?.position.location.coordinate.latitude == 47.1)
        #expect(site.fleet.flaws == [.inFuture: 1])
    }

    @Test("the end of a share removes the vehicle, and a position from before it does not bring it back")
    func end() {
        var site = Site()
        #expect(site.publish("") == .none)
        site.position(47.1)
        #expect(site.publish("") == .removed("owntracks/fleet/van7"))
        #expect(site.van == nil && site.fleet.vehicles(at: site.now).isEmpty)
        #expect(site.position(47, age: 30) == .none)
        #expect(site.position(47.1) == .none)
        #expect(site.van == nil)
        site.wait(1)
        #expect(site.position(47.2) == .changed("owntracks/fleet/van7"))
        #expect(site.van?.interval == nil)
    }

    @Test("a position that the broker drops is gone at that moment")
    func expiry() {
        var site = Site()
        site.position(isRetained: true, expiry: 600)
        site.wait(599)
        #expect(site.van != nil)
        site.wait(1)
        #expect(site.van == nil && site.fleet.vehicles(at: site.now).isEmpty)
    }

    @Test("beyond the limit a vehicle is left out until there is room, and the others continue")
    func limit() {
        var site = Site(limit: 3)
        for name in ["a", "b", "c", "d"] { site.position(of: name) }
        site.publish(#"{"_type":"card","name":"E"}"#, on: "owntracks/fleet/e/info")
        #expect(site.fleet.vehicles(at: site.now).map(\.label) == ["fleet/a", "fleet/b", "fleet/c"])
        #expect(site.fleet.flaws == [.tooManyVehicles: 2])
        site.wait(1)
        #expect(site.position(of: "a", 48) == .changed("owntracks/fleet/a"))
        site.publish("", on: "owntracks/fleet/b")
        // The search for room was a second ago.
        #expect(site.position(of: "d") == .none)
        site.wait(60)
        #expect(site.position(of: "d") == .changed("owntracks/fleet/d"))
        #expect(site.fleet.vehicles(at: site.now).map(\.label) == ["fleet/a", "fleet/c", "fleet/d"])
    }

    @Test("the changes are those since the last look, each vehicle once, and the shares that have ended")
    func changes() {
        var site = Site(limit: 2, tracksChanges: true)
        func changes() -> [String] {
            site.fleet.takeChanges(at: site.now).map { topic, vehicle in
                "\(topic.suffix(4)): \(vehicle.map { "\($0.position.location.coordinate.latitude)" } ?? "none")"
            }
        }
        site.position(47.1)
        site.wait(1)
        site.position(of: "van8", 48)
        site.position(47.2)
        #expect(changes() == ["van7: 47.2", "van8: 48.0"])
        #expect(changes() == [])
        site.publish(#"{"_type":"lwt"}"#, on: "owntracks/fleet/van8")
        #expect(changes() == ["van8: 48.0"])
        // One whose share has ended gives its room to another before anybody looks.
        site.publish("")
        site.position(of: "van9", 49)
        #expect(changes() == ["van7: none", "van9: 49.0"])
    }

    @Test("names without positions take no vehicle's place")
    func cards() {
        var site = Site(limit: 2)
        for name in ["a", "b", "c"] {
            site.publish(#"{"_type":"card","name":"x"}"#, on: "owntracks/fleet/\(name)/info")
        }
        site.wait(60)
        #expect(site.position() == .changed("owntracks/fleet/van7"))
        #expect(site.fleet.vehicles(at: site.now).map(\.label) == ["fleet/van7"])
    }

    @Test("a name may come before the position or after it, and is taken back")
    func names() {
        var site = Site()
        #expect(site.publish(#"{"_type":"card","name":"Ann"}"#, on: "owntracks/fleet/van7/info") == .none)
        #expect(site.van == nil)
        site.position()
        #expect(site.van?.shownName == "Ann")
        let ben = #"{"_type":"card","name":"Ben"}"#
        #expect(site.publish(ben, on: "owntracks/fleet/van7/info") == .changed("owntracks/fleet/van7"))
        #expect(site.publish(ben, on: "owntracks/fleet/van7/info") == .none)
        #expect(site.van?.shownName == "Ben")
        site.publish("", on: "owntracks/fleet/van7/info")
        #expect(site.van?.shownName == nil)
    }

    @Test("a name controls no terminal, and cannot imitate another one by invisible characters")
    func unsafeNames() {
        var site = Site()
        site.publish(
            #"{"_type":"card","name":"\u001b[2JAnn\u202e\u200b"}"#, on: "owntracks/fleet/van7\u{200B}\u{1B}c/info")
        site.position(of: "van7\u{200B}\u{1B}c")
        let vehicle = site.fleet.vehicles(at: site.now)[0]
        #expect(vehicle.shownName == #"\u{1B}[2JAnn\u{202E}\u{200B}"#)
        #expect(vehicle.label == #"fleet/van7\u{200B}\u{1B}c"#)
        #expect(site.fleet.vehicles(named: "van7", at: site.now).isEmpty)
    }

    @Test("a vehicle is found by topic, then device, then its own name, so that a name cannot hide another vehicle")
    func found() {
        var site = Site()
        for name in ["van7", "van8"] { site.position(of: name) }
        site.publish(#"{"_type":"location","lat":1,"lon":1,"tst":1795000000}"#, on: "owntracks/ann/van8")
        site.publish(#"{"_type":"card","name":"Van7"}"#, on: "owntracks/fleet/van8/info")
        func found(_ name: String) -> [String] { site.fleet.vehicles(named: name, at: site.now).map(\.label) }
        #expect(found("owntracks/fleet/van7") == ["fleet/van7"])
        #expect(found("fleet/van8") == ["fleet/van8"])
        #expect(found("van7") == ["fleet/van7"])
        #expect(found("van8") == ["ann/van8", "fleet/van8"])
        #expect(found("VAN7") == ["fleet/van8"])
        #expect(found("van9") == [])
        #expect(
            site.fleet.vehicles(at: site.now).filter { $0.matches("VAN7") }.map(\.label) == [
                "fleet/van7", "fleet/van8",
            ])
    }

    @Test("messages elsewhere, or that cannot be read, are counted")
    func counted() {
        var site = Site()
        site.publish("{}", on: "homeassistant/x/y/config")
        site.publish("{", on: "owntracks/a/b")
        site.publish(#"{"_type":"encrypted","data":"AA"}"#)
        #expect(site.fleet.flaws == [.foreignTopic: 1, .notJSON: 1, .encrypted: 1])
    }
}

@Suite("States of vehicles")
struct VehicleStateTests {
    @Test("a vehicle of unknown interval is stale after two minutes, and offline after a quarter of an hour")
    func ages() {
        var site = Site()
        site.position(with: #""vel":36"#, isRetained: true)
        for (wait, state) in [(0, VehicleState.moving), (120, .moving), (1, .stale), (778, .stale), (1, .offline)] {
            site.wait(wait)
            #expect(site.state == state, "after \(wait) s more")
        }
    }

    @Test("a sender's interval is learned from its own messages, and not from those that the broker kept")
    func learnt() {
        var site = Site()
        site.position(age: 500, isRetained: true)
        site.position(age: 100)
        #expect(site.van?.interval == nil)
        site.wait(20)
        site.position()
        #expect(site.van?.interval == 120)
        // The last four count.
        for _ in 0..<4 {
            site.wait(5)
            site.position()
        }
        #expect(site.van?.interval == 5)
        site.wait(30)
        #expect(site.state == .stopped)
        site.wait(1)
        #expect(site.state == .stale)
    }

    @Test(
        "a phone that reports every half an hour is not offline between reports, and a night does not change its interval"
    )
    func rare() {
        var site = Site()
        for _ in 0..<3 {
            site.position()
            site.wait(1800)
        }
        #expect(site.van?.interval == 1800 && site.state == .stopped)
        site.wait(1801)
        #expect(site.state == .stale)
        site.wait(1800)
        #expect(site.state == .offline)
        site.wait(40_000)
        site.position()
        #expect(site.van?.interval == nil && site.state == .stopped)
    }

    @Test(
        "a vehicle is in another state no earlier than its next change, and then at once",
        arguments: [nil, 200, 5000] as [UInt32?])
    func nextChange(expiry: UInt32?) throws {
        for interval in [1, 60, 400] {
            var site = Site()
            for _ in 0..<3 {
                site.wait(interval)
                site.position(with: #""vel":36"#, expiry: expiry)
            }
            let van = try #require(site.van)
            func isAsIt(_ state: VehicleState) -> Bool { !van.isOver(at: site.now) && van.state(at: site.now) == state }
            var state = van.state(at: site.now)
            while let change = van.nextChange(after: state) {
                site.now = change.advanced(by: .milliseconds(-1))
                #expect(isAsIt(state))
                site.now = change.advanced(by: .milliseconds(1))
                #expect(!isAsIt(state))
                guard !van.isOver(at: site.now) else { break }
                state = van.state(at: site.now)
            }
            #expect(expiry == nil ? state == .offline : van.isOver(at: site.now))
        }
    }

    @Test("a lost connection is offline until the next message")
    func will() {
        var site = Site()
        #expect(site.publish(#"{"_type":"lwt","tst":1}"#) == .none)
        site.position(with: #""vel":36"#)
        #expect(site.publish(#"{"_type":"lwt","tst":1}"#) == .changed("owntracks/fleet/van7"))
        #expect(site.state == .offline && site.van?.extrapolatedCoordinate(at: site.now) == nil)
        site.wait(1)
        site.position(with: #""vel":36"#)
        #expect(site.state == .moving)
    }

    @Test("without a speed a vehicle moves if it is elsewhere by more than the positions are uncertain")
    func withoutSpeed() {
        var site = Site()
        let rows: [(Double, String, VehicleState)] = [
            (47, "", .stopped), (47.001, "", .moving), (47.0011, "", .stopped),
            // 111 m, and as uncertain together.
            (47.0021, #""acc":112"#, .stopped), (47.0061, #""acc":112"#, .moving), (47.0061, "", .stopped),
            (47.0061, #""vel":4"#, .moving), (47.02, #""vel":3"#, .stopped),
        ]
        for (latitude, more, state) in rows {
            site.wait(30)
            site.position(latitude, with: more)
            #expect(site.state == state, "\(latitude) \(more)")
        }
    }

    @Test("a clock that is behind gives an age of 0")
    func clockBehind() {
        var site = Site()
        site.position(age: -200)
        #expect(site.van?.age(at: site.now) == 0 && site.state == .stopped)
    }

    @Test("a position is extrapolated along its course for the sender's interval, and no longer")
    func extrapolation() throws {
        var site = Site()
        let motion = #""vel":36,"cog":90"#
        func metres() -> Double? {
            site.van.flatMap { van in
                van.extrapolatedCoordinate(at: site.now).map { van.position.location.coordinate.distance(to: $0) }
            }
        }
        site.position(with: motion)
        site.wait(5)
        // Its interval is not known yet.
        #expect(metres() == nil)
        site.wait(5)
        site.position(with: motion)
        #expect(metres() == nil)
        for (wait, expected) in [(1, 10.0), (8, 90), (1, 100), (1, 100), (19, 100)] {
            site.wait(wait)
            #expect(try abs(#require(metres()) - expected) < 0.01, "\(expected) m")
        }
        let van = try #require(site.van)
        let place = try #require(van.extrapolatedCoordinate(at: site.now))
        #expect(abs(place.latitude - 47) < 1e-6 && place.longitude > 9.5)
        site.wait(1)
        #expect(site.state == .stale && metres() == nil)
        // Neither without a course nor standing.
        for other in [#""vel":36"#, #""vel":1,"cog":90"#, #""cog":90"#] {
            site.position(with: other)
            site.wait(2)
            #expect(metres() == nil, "\(other)")
        }
    }

    @Test("a position is extrapolated for a minute at most, however rarely the vehicle reports")
    func longInterval() throws {
        var site = Site()
        for _ in 0..<3 {
            site.position(with: #""vel":36,"cog":0"#)
            site.wait(300)
        }
        let van = try #require(site.van)
        let place = try #require(van.extrapolatedCoordinate(at: site.now))
        #expect(abs(van.position.location.coordinate.distance(to: place) - 600) < 0.01)
    }
}
