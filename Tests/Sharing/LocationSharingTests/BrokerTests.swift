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

    @Test("an address is one of a broker or of its socket, without a user and a path", arguments: addresses)
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
        #expect(BrokerVerdict.messages([0, code, 0], topic: "owntracks/a/b", origin: "mqtts://b:1") == verdict)
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

    @Test("only the newest position is the newest, and the end of a share is told to the broker")
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
}
