import LocationModel
import Testing

@testable import LocationSharing

/// A machine of a bridge with a clock of its own.
private struct Site {
    static let start = Timestamp(secondsSince1970: 1_800_000_000)
    static let steadyStart = ContinuousClock.now

    var machine = ShareMachine(ShareState(), gridKey: (0..<16).map { $0 }, service: .nmea)
    var seconds = 0.0

    init(_ accuracy: AccuracyAuthorization = .full) {
        _ = machine.configure(
            Share(started: Self.start, until: Self.start.advanced(by: .seconds(7200)), accuracy: accuracy), moment)
    }

    var moment: ShareMachine.Moment {
        .init(
            wall: Self.start.advanced(by: .seconds(seconds)), steady: Self.steadyStart.advanced(by: .seconds(seconds)))
    }

    func location(_ meters: Double = 0) -> Location {
        Location(coordinate: Coordinate(latitude: 47 + meters / 111_200, longitude: 9.5)!, timestamp: moment.wall)
    }

    /// The position that is sent, and taken by the readers; `nil` for none.
    @discardableResult
    mutating func receive(_ location: Location? = nil, isReduced: Bool = false) -> ShareRecord? {
        taken(machine.receive(location ?? self.location(), isReduced: isReduced, moment))
    }

    mutating func wake(after seconds: Double) -> ShareRecord? {
        self.seconds += seconds
        return taken(machine.wake(moment))
    }

    mutating func taken(_ actions: [ShareMachine.Action]) -> ShareRecord? {
        for case .send(.positions(let records)) in actions {
            _ = machine.answered(.answered(.stored), random: 1, moment)
            return records.last
        }
        return nil
    }
}

@Suite("Deliveries to the readers of a bridge", .timeLimit(.minutes(10)))
struct BridgeTests {
    @Test("each position at once, and the present one again after a moment")
    func pace() {
        var site = Site()
        #expect(site.receive() != nil)
        site.seconds = 0.125
        let second = site.receive(site.location(1))
        #expect(second?.location == site.location(1))
        #expect(site.wake(after: 1.375) == nil)
        #expect(site.wake(after: 0.125)?.location == second?.location)
        #expect(site.wake(after: 1.5)?.location == second?.location)
    }

    @Test("nothing is repeated after the end, a stop, a pause, a denial, a missing location, or a loss of the service")
    func ends() {
        let changes: [(String, (inout Site) -> [ShareMachine.Action], Bool)] = [
            (
                "end",
                { site in
                    site.seconds = 7200; return site.machine.wake(site.moment)
                }, false
            ),
            ("stop", { $0.machine.configure(nil, $0.moment) }, false),
            (
                "pause",
                { site in
                    var share = Share(started: Site.start, until: nil)
                    share.isPaused = true
                    return site.machine.configure(share, site.moment)
                }, false
            ),
            ("denial", { $0.machine.withhold(.revoked(""), $0.moment) }, false),
            ("absence", { $0.machine.withhold(.unavailable(""), $0.moment) }, true),
            ("rule", { $0.machine.withhold(.concealed(""), $0.moment) }, true),
            ("service", { $0.machine.withhold(.interrupted(""), $0.moment) }, true),
            ("approximate", { $0.machine.limitAccuracy($0.moment) }, true),
        ]
        for (name, change, admits) in changes {
            var site = Site()
            #expect(site.receive() != nil)
            #expect(site.machine.admitsReaders(at: site.moment))
            let actions = change(&site)
            #expect(site.taken(actions) == nil, "\(name)")
            for _ in 0..<4 { #expect(site.wake(after: 1) == nil, "\(name)") }
            #expect(site.machine.admitsReaders(at: site.moment) == admits, "\(name)")
        }
    }

    @Test("at the destination of the share readers receive nothing, and no new ones are accepted")
    func arrival() {
        var site = Site()
        var share = Share(started: Site.start, until: nil)
        share.arrival = Arrival(name: "harbour", center: site.location(1000).coordinate, radius: 100)
        _ = site.machine.configure(share, site.moment)
        func location(_ meters: Double) -> Location {
            var location = site.location(meters)
            location.horizontalAccuracy = 5
            return location
        }
        #expect(site.receive(location(0)) != nil)
        site.seconds = 20
        #expect(site.receive(location(890)) != nil)
        site.seconds = 40
        #expect(site.receive(location(950)) == nil)
        #expect(!site.machine.admitsReaders(at: site.moment))
        for _ in 0..<4 { #expect(site.wake(after: 1) == nil) }
        #expect(site.receive(location(0)) == nil)
    }

    @Test(
        "an approximate position is repeated unchanged until the next one, and an exact one for five minutes"
    )
    func lasting() {
        var site = Site()
        let cell = site.receive(site.location(), isReduced: true)
        #expect(cell?.isReduced == true)
        for _ in 0..<20 { #expect(site.wake(after: 60) == cell) }
        var exact = Site()
        #expect(exact.receive() != nil)
        #expect(exact.wake(after: 299) != nil)
        #expect(exact.wake(after: 2) == nil)
    }

    @Test("a position of a share of reduced accuracy is one of its cell, without movement or heading")
    func reduced() throws {
        var site = Site(.reduced)
        site.machine.receive(Heading(trueHeading: 90, timestamp: Site.start), site.moment)
        var location = site.location()
        (location.speed, location.course, location.altitude) = (5, 90, 400)
        let sent = site.receive(location)
        let record = try #require(sent)
        #expect(record.isReduced && record.heading == nil)
        let text = try #require(BridgeMessage.text(record, of: .nmea))
        #expect(text.split(separator: "\r\n").map { $0.dropFirst(3).prefix(3) } == ["ZDA", "GGA", "RMC", "GSA"])
    }

    @Test("a recent heading goes with the position, and an old one or one from before a denial does not")
    func heading() throws {
        var site = Site()
        site.machine.receive(Heading(trueHeading: 271.25, timestamp: Site.start), site.moment)
        let sent = site.receive()
        let record = try #require(sent)
        #expect(record.heading == 271.25)
        #expect(BridgeMessage.text(record, of: .nmea)?.hasSuffix("$GPHDT,271.3,T*32\r\n") == true)
        #expect(site.wake(after: 2.1)?.heading == nil)
        site.machine.receive(Heading(trueHeading: 90, timestamp: Site.start), site.moment)
        _ = site.machine.withhold(.revoked(""), site.moment)
        #expect(site.receive()?.heading == nil)
    }

    @Test("the sentences are those of instruments, each with its checksum")
    func sentences() throws {
        var location = Location(
            coordinate: Coordinate(latitude: 54.3233, longitude: -10.1394)!,
            timestamp: try #require(Timestamp("2026-11-28T09:30:00Z")))
        (location.speed, location.course, location.altitude, location.horizontalAccuracy) = (3, 187.5, 2, 4)
        let text = try #require(BridgeMessage.text(ShareRecord(location), of: .nmea))
        #expect(
            text.split(separator: "\r\n").map { $0.split(separator: "*")[0] } == [
                "$GPRMC,093000.00,A,5419.3980000,N,01008.3640000,W,5.8315,187.500,281126,,,A",
                "$GPGGA,093000.00,5419.3980000,N,01008.3640000,W,1,,0.34,2.00,M,,M,,",
                "$GPGLL,5419.3980000,N,01008.3640000,W,093000.00,A,A",
                "$GPVTG,187.500,T,,M,5.8315,N,10.8000,K,A",
                "$GPGSA,A,3,,,,,,,,,,,,,,0.34,", "$GPGST,093000.00,,2.650,2.650,,2.650,2.650,",
                "$GPZDA,093000.00,28,11,2026,00,00",
            ])
        for sentence in text.split(separator: "\r\n") {
            let parts = sentence.dropFirst().split(separator: "*")
            #expect(UInt8(parts[1], radix: 16) == parts[0].utf8.reduce(0) { $0 ^ $1 })
        }
    }

    @Test("deltas of Signal K have the units of the SI, and of a reduced position neither altitude nor movement")
    func deltas() throws {
        var location = Location(
            coordinate: Coordinate(latitude: 54.3233, longitude: -10.1394)!,
            timestamp: try #require(Timestamp("2026-11-28T09:30:00Z")))
        (location.speed, location.course, location.altitude, location.ellipsoidalAltitude) = (3, 180, 2, 44.5)
        (location.horizontalAccuracy, location.fixType) = (4, .rtkFixed)
        var record = ShareRecord(location)
        record.heading = 90
        let start =
            #"{"context":"vessels.self","updates":[{"$source":"locationd","timestamp":"2026-11-28T09:30:00.000Z","values":["#
        let end = #",{"path":"navigation.datetime","value":"2026-11-28T09:30:00.000Z"}]}]}"# + "\r\n"
        #expect(
            BridgeMessage.text(record, of: .signalk) == start
                + #"{"path":"navigation.position","value":{"latitude":54.3233,"longitude":-10.1394,"altitude":2}},"#
                + #"{"path":"navigation.gnss.horizontalDilution","value":0.34},"#
                + #"{"path":"navigation.gnss.methodQuality","value":"RTK fixed integer"},"#
                + #"{"path":"navigation.gnss.antennaAltitude","value":2},"#
                + #"{"path":"navigation.gnss.geoidalSeparation","value":42.5},"#
                + #"{"path":"navigation.speedOverGround","value":3},"#
                + #"{"path":"navigation.courseOverGroundTrue","value":3.14159},"#
                + #"{"path":"navigation.headingTrue","value":1.5708}"# + end)
        record = ShareRecord(location, isReduced: true)
        #expect(
            BridgeMessage.text(record, of: .signalk) == start
                + #"{"path":"navigation.position","value":{"latitude":54.3233,"longitude":-10.1394}},"#
                + #"{"path":"navigation.gnss.horizontalDilution","value":0.34},"#
                + #"{"path":"navigation.gnss.methodQuality","value":"GNSS Fix"}"# + end)
    }

    @Test("a bridge that cannot be opened is tried again within seconds")
    func retries() {
        var site = Site()
        _ = site.machine.receive(site.location(), isReduced: false, site.moment)
        for _ in 0..<20 {
            let actions = site.machine.answered(.failed("boat has no address now."), random: 1, site.moment)
            #expect(!actions.isEmpty)
            site.seconds += 5
            let next = site.machine.wake(site.moment)
            #expect(next.contains { if case .send = $0 { true } else { false } })
        }
        #expect(site.machine.state.problem == "boat has no address now.")
        #expect(site.machine.state.failedShare == nil)
    }

    @Test("a time of delivery is saved once a minute")
    func saving() {
        var site = Site()
        var saves = 0
        for _ in 0..<600 {
            site.seconds += 1
            let actions = site.machine.receive(site.location(), isReduced: false, site.moment)
            saves += actions.count { if case .save = $0 { true } else { false } }
            saves += site.machine.answered(.answered(.stored), random: 1, site.moment).count {
                if case .save = $0 { true } else { false }
            }
        }
        #expect((10...13).contains(saves), "\(saves)")
    }

    @Test("bridges need each location, also while the user stays, beside whatever others need")
    func need() {
        #expect(Site().machine.need == .live)
        #expect(LocationNeed(of: [.track(Thinning()), .live, .newest(every: .seconds(10))]) == .live)
        #expect(LocationNeed(of: [.track(Thinning()), .newest(every: .seconds(10))]) == .all)
        #expect(LocationNeed(of: [.all]) == .all)
    }

    @Test(
        "text that is not an interface with a port is refused",
        arguments: [
            "eth0;10110", "eth0", ":10110", "*:10110", "[::]:10110", "a/b:10110", "a b:10110", "sixteenletters00:1024",
            "eth0:1\u{1b}[2J", "eth0:80", "eth0:0", "eth0:65536", "eth0:-1", "eth0:99999999999", "eth0:１０１１０",
            "..:10110",
        ])
    func endpoints(text: String) {
        #expect(throws: InvalidEndpoint.self) { try BridgeEndpoint(listeningAt: text, allowsPublic: false) }
    }

    @Test(
        "text that is not an address with a port is refused",
        arguments: [
            "192.168.1.255", "192.168.1.255;10110", "eth0:10110", ":10110", "fd00::1:10110", "192.168.1.255:0",
            "192.168.1.255:65536", "192.168.1.255%:10110", "192.168.1.255%a/b:10110", "1.2.3.4%eth0%eth1:10110", "",
        ])
    func targets(text: String) {
        #expect(throws: InvalidEndpoint.self) { try BridgeEndpoint(sendingTo: text, allowsPublic: false) }
    }

    @Test("an address with a port is accepted, with its interface and without")
    func target() throws {
        let all = try BridgeEndpoint(sendingTo: "192.168.1.255:10110", allowsPublic: false)
        #expect(all.destination == "192.168.1.255" && all.interface.isEmpty && all.port == 10_110)
        let group = try BridgeEndpoint(sendingTo: "[ff02::1%eth0]:53", allowsPublic: false)
        #expect(group.destination == "ff02::1" && group.interface == "eth0" && group.port == 53)
        #expect(group.description == "[ff02::1]:53" && all.description == "192.168.1.255:10110")
    }

    @Test("an interface with a port is accepted, also one of a VLAN or of containers")
    func endpoint() throws {
        for name in ["eth0", "wlan0.20", "br-1234abcd", "docker0", "enx0011aabbccdd"] {
            let endpoint = try BridgeEndpoint(listeningAt: "\(name):10110", allowsPublic: false)
            #expect(endpoint == BridgeEndpoint(interface: name, port: 10_110))
            #expect(endpoint.description == "\(name):10110")
        }
    }
}
