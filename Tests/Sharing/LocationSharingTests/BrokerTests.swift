import LocationModel
import Testing

@testable import LocationSharing

@Suite("A broker's addresses, messages and reasons")
struct BrokerTests {
    private static let addresses: [(String, String?)] = [
        ("mqtts://broker.example:8884", "mqtts://broker.example:8884"),
        ("MQTTS://Broker.example", "mqtts://broker.example:8883"), ("mqtt://10.0.0.1", "mqtt://10.0.0.1:1883"),
        ("mqtts://[fd00::1]:8883", "mqtts://[fd00::1]:8883"), ("mqtts://[fd00::1]", "mqtts://[fd00::1]:8883"),
        ("/run/mosquitto/socket", "/run/mosquitto/socket"), ("mqtts://van:secret@broker.example", nil),
        ("mqtts://broker.example/topic", nil), ("mqtts://broker.example/", nil), ("https://broker.example", nil),
        ("mqtts://", nil), ("mqtts:broker", nil), ("broker.example:8883", nil), ("mqtts://broker.example:0", nil),
        ("/", nil), ("/run/a b", nil), ("/" + String(repeating: "a", count: 107), nil), ("", nil),
    ]

    @Test("an address is that of a broker or of its socket, without a user and a path", arguments: addresses)
    func address(text: String, expected: String?) {
        #expect(BrokerAddress(text)?.description == expected)
    }

    private static let reasons: [(Int, String)] = [
        (0x00, "stored"), (0x10, "stored"), (0x80, "unclear"), (0x83, "unclear"), (0x87, "doubtful"),
        (0x90, "doubtful"), (0x91, "again"), (0x95, "refused"), (0x97, "again"), (0x99, "refused"), (0xff, "again"),
    ]

    @Test("each reason of an acknowledgement has its consequence", arguments: reasons)
    func reason(code: Int, expected: String) {
        let verdict = BrokerVerdict.message(code, topic: "owntracks/a/b", origin: "mqtts://b:1")
        #expect(verdict.name == expected)
        // Of several messages, the one that was not taken counts.
        let acknowledgements = [0, code, 0].map { (topic: "owntracks/a/b", reason: $0) }
        #expect(BrokerVerdict.messages(acknowledgements, origin: "mqtts://b:1") == verdict)
    }

    private static let refusals: [(Int, String)] = [
        (0x01, "doubtful"), (0x84, "doubtful"), (0x85, "doubtful"), (0x86, "doubtful"), (0x87, "doubtful"),
        (0x88, "again"), (0x89, "again"), (0x8a, "doubtful"), (0x8c, "doubtful"), (0x97, "again"), (0x9c, "doubtful"),
        (0x9d, "doubtful"), (0x9f, "again"),
    ]

    @Test("each reason of a refused connection has its consequence", arguments: refusals)
    func refusal(code: Int, expected: String) {
        #expect(BrokerVerdict.connection(code, origin: "mqtts://b:1").name == expected)
    }

    @Test("a message expires with the share, a second after its end at the latest")
    func expiry() {
        let now = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000)
        #expect(MessageTerms(isNewest: true).expiry(at: now) == nil)
        for (seconds, expected) in [(3600.0, 3600), (0.5, 1), (-1, 1), (1e10, 4_000_000_000)] as [(Double, UInt32)] {
            let until = now.advanced(by: .milliseconds(Int64(seconds * 1000)))
            #expect(MessageTerms(isNewest: true, until: until).expiry(at: now) == expected)
        }
    }

    @Test("a position is OwnTracks' with an identifier that a repeated one has as well")
    func content() {
        var location = Location(
            coordinate: Coordinate(latitude: 47.5, longitude: 9.25),
            timestamp: Timestamp(nanosecondsSince1970: 1_700_000_000_123_000_000))
        (location.horizontalAccuracy, location.speed, location.course) = (4, 10, 90)
        #expect(
            String(decoding: BrokerMessage.position(ShareRecord(location)), as: UTF8.self)
                == #"{"_type":"location","lat":47.5,"lon":9.25,"acc":4,"tst":1700000000,"vel":36,"cog":90,"_id":"18bcfe5687b"}"#
        )
    }

    @Test("only the newest position is marked as the newest, and the broker is sent the end of a share")
    func terms() throws {
        let moment = ShareMachine.Moment(wall: Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000), steady: .now)
        var machine = ShareMachine(ShareState(), gridKey: (0..<16).map { $0 }, service: .mqtt)
        var share = Share(started: moment.wall, until: moment.wall.advanced(by: .seconds(3600)))
        share.queue = moment.wall
        _ = machine.configure(share, moment)
        func location(_ index: Int) throws -> Location {
            Location(
                coordinate: try #require(Coordinate(latitude: 47 + Double(index) / 100, longitude: 9)),
                timestamp: moment.wall.advanced(by: .seconds(Double(60 * index))))
        }
        func at(_ index: Int) -> ShareMachine.Moment {
            ShareMachine.Moment(
                wall: moment.wall.advanced(by: .seconds(Double(60 * index))),
                steady: moment.steady.advanced(by: .seconds(60 * index)))
        }
        let first = machine.receive(try location(0), isReduced: false, moment)
        // On disk before the first position: the broker may show one.
        #expect(first.first == .save(machine.state) && machine.state.isShowing)
        #expect(first.contains { if case .send = $0 { true } else { false } })
        #expect(machine.terms == MessageTerms(isNewest: true, until: share.until))
        // Two more come while nobody answers: the second is the newest, and the others are kept.
        _ = machine.receive(try location(1), isReduced: false, at(1))
        _ = machine.receive(try location(2), isReduced: false, at(2))
        let newest = machine.answered(.failed("x"), random: 0, at(2)) + machine.wake(at(3))
        guard case .send(.positions(let records))? = newest.last(where: { if case .send = $0 { true } else { false } })
        else {
            Issue.record("\(newest)")
            return
        }
        #expect(records.map(\.sequence) == [3] && machine.terms.isNewest)
        #expect(machine.answered(.answered(.stored), random: 0, at(3)).contains(.load(ShareMachine.partSize)))
        let kept = try [0, 1].map { ShareRecord(try location($0), sequence: Int64($0 + 1)) }
        let backlog = machine.load(kept, at(3))
        #expect(backlog.contains(.send(.positions(kept))) && !machine.terms.isNewest)
        // A state that cannot be saved must not make a kept position the newest.
        let end = machine.configure(nil, at(4))
        #expect(end.contains(.cancel))
        #expect(machine.answered(.cancelled, random: 0, at(4)).contains(.send(.end(at: at(4).wall))))
    }

    @Test("a state that cannot be saved keeps the newest position the newest, and the kept ones kept")
    func notSaved() throws {
        let start = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000)
        let moment = ShareMachine.Moment(wall: start, steady: .now)
        var machine = ShareMachine(
            ShareState(), gridKey: (0..<16).map { $0 }, service: .mqtt, queue: start, lastSequence: 2)
        var share = Share(started: start, until: nil)
        share.queue = start
        let kept = try [1, 2].map { number in
            ShareRecord(
                Location(
                    coordinate: try #require(Coordinate(latitude: 47, longitude: Double(number))), timestamp: start),
                sequence: Int64(number))
        }
        _ = machine.configure(share, moment)
        _ = machine.stay(moment)
        let first = machine.load(kept, moment)
        #expect(first.contains(.send(.positions(kept))))
        let isSent = machine.notSaved("The disk is full.", moment)
        #expect(!isSent)
        // They are read again, and are not the newest then.
        let later = ShareMachine.Moment(
            wall: start.advanced(by: .seconds(20)), steady: moment.steady.advanced(by: .seconds(20)))
        let reading = machine.wake(later)
        #expect(reading.contains(.load(ShareMachine.partSize)))
        let second = machine.load(kept, later)
        #expect(second.contains(.send(.positions(kept))) && !machine.terms.isNewest)
    }

    @Test("Home Assistant discovers a tracker by topics of its own, and gets the names of the attributes that it reads")
    func discovery() throws {
        var generator = SystemRandomNumberGenerator()
        var destination = try Destination(
            name: "depot", service: .mqtt, url: ServiceURL("mqtts://b:1", of: .mqtt, allowsPlain: false), user: "fleet",
            device: "van 7", using: &generator)
        // It takes no such topic.
        #expect(!HomeAssistantDiscovery.accepts(destination))
        destination.device = "van-7"
        #expect(HomeAssistantDiscovery.accepts(destination))
        #expect(HomeAssistantDiscovery.topic("config", of: destination) == nil)
        destination.discoveryPrefix = HomeAssistantDiscovery.prefix
        #expect(
            HomeAssistantDiscovery.topic("config", of: destination)
                == "homeassistant/device_tracker/fleet/van-7/config")
        #expect(
            String(decoding: HomeAssistantDiscovery.configuration(of: destination), as: UTF8.self)
                == #"{"unique_id":"locationd-fleet-van-7","name":null,"source_type":"gps","#
                + #""json_attributes_topic":"homeassistant/device_tracker/fleet/van-7/attributes","#
                + #""device":{"identifiers":["locationd-fleet-van-7"],"name":"van-7"}}"#)
        var location = Location(
            coordinate: Coordinate(latitude: 47.5, longitude: 9.25),
            timestamp: Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000))
        // Home Assistant ignores an accuracy of 0, and takes one that is missing for 0.
        for (accuracy, expected) in [(0.0, 1), (nil, 50), (4.2, 5)] as [(Double?, Int)] {
            location.horizontalAccuracy = accuracy
            #expect(
                String(decoding: HomeAssistantDiscovery.attributes(ShareRecord(location)), as: UTF8.self)
                    == #"{"latitude":47.5,"longitude":9.25,"gps_accuracy":\#(expected),"fix_time":"2023-11-14T22:13:20.000Z"}"#
            )
        }
    }
    @Test(
        "no message is longer than the length compared with a broker's limits, and a test is as long as a position")
    func length() throws {
        var generator = SystemRandomNumberGenerator()
        let name = String(repeating: "v", count: 64)
        var destination = try Destination(
            name: "depot", service: .mqtt, url: ServiceURL("mqtts://b:1", of: .mqtt, allowsPlain: false), user: name,
            device: name, using: &generator)
        var location = Location(
            coordinate: Coordinate(latitude: -89.1234567, longitude: -179.1234567),
            timestamp: Timestamp(nanosecondsSince1970: 4_102_444_799_999_000_000))
        (location.altitude, location.verticalAccuracy) = (-123_456.7, 123_456.7)
        (location.horizontalAccuracy, location.speed, location.course) = (20_037_508.3, 299_792.4, 359.4)
        let record = ShareRecord(location)
        let topic = BrokerMessage.topic(of: destination)
        let position = BrokerMessage.position(record)
        #expect(position.count <= BrokerMessage.longestPosition)
        #expect(topic.utf8.count + position.count < BrokerMessage.longest(to: destination))
        #expect(BrokerMessage.test(at: location.timestamp).count == BrokerMessage.longestPosition)
        destination.discoveryPrefix = HomeAssistantDiscovery.prefix
        let longest = BrokerMessage.longest(to: destination)
        for (part, content) in [
            ("config", HomeAssistantDiscovery.configuration(of: destination)),
            ("attributes", HomeAssistantDiscovery.attributes(record)),
        ] {
            let topic = try #require(HomeAssistantDiscovery.topic(part, of: destination))
            #expect(topic.utf8.count + content.count < longest)
        }
    }
}
