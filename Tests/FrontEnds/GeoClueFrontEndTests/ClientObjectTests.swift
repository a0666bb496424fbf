import GeoClueFrontEnd
import LocationModel
import Testing

@Suite("Client objects", .timeLimit(.minutes(10))) struct ClientObjectTests {
    private let denied = BusError.accessDenied("no")
    private static func path(_ number: UInt64) -> ObjectPath { .location(client: 5, number: number) }

    @Test("Start is answered with the first location, and then Active and the location are announced")
    func start() {
        let object = Driven()
        #expect(object.handle(.start) == [.holdStart, .open])
        #expect(object.handle(.permitted) == [])
        #expect(
            object.handle(.located)
                == [.answerStart(nil), .announceActive(true), .announce(old: "/", new: Self.path(0))])
        #expect(object.isActive)
        #expect(object.handle(.start) == [.answerStart(nil)])
    }

    @Test("a client may read the location that was announced last before it has the next one")
    func reading() {
        let object = Driven()
        _ = object.handle(.start)
        _ = object.handle(.located)
        #expect(!object.isRead)
        #expect(!object.read(1))
        #expect(object.read(0))
        #expect(!object.read(0))
        #expect(object.handle(.located) == [.announce(old: Self.path(0).text, new: Self.path(1))])
        #expect(!object.read(0))
        #expect(!object.isRead)
    }

    @Test("an early denial is an error, and the next Start opens a new prompt")
    func earlyNo() {
        let object = Driven()
        _ = object.handle(.start)
        #expect(object.handle(.undecided) == [])
        #expect(object.handle(.refused(denied)) == [.answerStart(denied), .close])
        #expect(object.handle(.start) == [.holdStart, .open])
    }

    @Test("a late permission makes it active, and a late denial sends nothing")
    func late() {
        let object = Driven()
        _ = object.handle(.start)
        #expect(object.handle(.held(isPermitted: false)) == [.answerStart(nil)])
        #expect(!object.isActive)
        let refused = Driven(object.object)
        #expect(refused.handle(.refused(denied)) == [])
        #expect(refused.handle(.start) == [.holdStart, .close, .open])
        #expect(object.handle(.permitted) == [.announceActive(true)])
        #expect(object.handle(.located) == [.announce(old: "/", new: Self.path(0))])
    }

    @Test("a Start that the user has not answered in time waits again with the next Start")
    func secondStart() {
        let object = Driven()
        _ = object.handle(.start)
        #expect(object.handle(.start) == [.holdStart])
        _ = object.handle(.held(isPermitted: false))
        #expect(object.handle(.start) == [.holdStart])
        #expect(object.handle(.refused(denied)) == [.answerStart(denied), .close])
    }

    @Test("with permission and no location in time it is active")
    func noLocation() {
        let object = Driven()
        _ = object.handle(.start)
        #expect(object.handle(.held(isPermitted: true)) == [.answerStart(nil), .announceActive(true)])
    }

    @Test("after a denial it is inactive and keeps its state; permitted again, it continues")
    func revocation() {
        let object = Driven()
        _ = object.handle(.start)
        _ = object.handle(.located)
        #expect(object.handle(.refused(denied)) == [.announceActive(false)])
        #expect(object.handle(.refused(denied)) == [])
        #expect(object.properties.first?.value == .path(Self.path(0).text))
        #expect(object.handle(.permitted) == [.announceActive(true)])
        #expect(object.handle(.undecided) == [.announceActive(false)])
    }

    @Test("a client that is not in use is active, and waits for nothing")
    func suspended() {
        let object = Driven()
        _ = object.handle(.start)
        #expect(object.handle(.suspended) == [.answerStart(nil), .announceActive(true)])
        #expect(object.handle(.suspended) == [])
    }

    @Test("after Stop nothing comes, and the next session begins without a location")
    func stop() {
        let object = Driven()
        #expect(object.handle(.stop) == [])
        _ = object.handle(.start)
        #expect(object.handle(.stop) == [.answerStart(nil), .close])
        _ = object.handle(.start)
        _ = object.handle(.located)
        #expect(object.handle(.stop) == [.close, .announceActive(false)])
        #expect(object.handle(.located) == [])
        #expect(object.handle(.permitted) == [])
        #expect(object.properties.first?.value == .path(Self.path(0).text))
        _ = object.handle(.start)
        #expect(object.properties.first?.value == .path("/"))
        #expect(object.handle(.located).last == .announce(old: "/", new: Self.path(1)))
    }

    @Test("every call of Start is answered once, whatever happens")
    func everyStartIsAnswered() {
        let events: [ClientObject.Event] = [
            .start, .stop, .permitted, .located, .suspended, .refused(denied), .undecided, .ended(denied),
            .held(isPermitted: true), .held(isPermitted: false),
        ]
        // All sequences of five events, the tree of them walked with what is held and open.
        func explore(_ object: ClientObject, held: Int, isOpen: Bool, depth: Int) {
            guard depth > 0 else { return }
            for event in events {
                if case .held = event, held == 0 { continue }
                var next = object
                var (held, isOpen) = (held, isOpen)
                var answered = false
                for action in next.handle(event) {
                    switch action {
                    case .holdStart: held += 1
                    case .answerStart:
                        if case .start = event, held == 0 { answered = true } else { #expect(held > 0) }
                        held = 0
                    case .open:
                        #expect(!isOpen)
                        isOpen = true
                    case .close: isOpen = false
                    case .announceActive(let isActive): #expect(isActive == next.isActive)
                    case .announce: #expect(next.isActive)
                    }
                }
                if case .start = event { #expect(answered || held > 0) }
                if case .ended = event { isOpen = false }
                #expect(!(next.isStopped && (isOpen || held > 0)))
                #expect(!(next.isActive && (held > 0 || !isOpen)))
                explore(next, held: held, isOpen: isOpen, depth: depth - 1)
            }
        }
        explore(ClientObject(number: 5), held: 0, isOpen: false, depth: 5)
    }

    @Test func whatIsSetIsSaid() throws {
        let object = Driven()
        #expect(object.requestedLevel == 4)
        #expect(object.set(.distanceThreshold(100)))
        #expect(!object.set(.distanceThreshold(100)))
        #expect(object.set(.desktopID("redshift")))
        #expect(object.properties.first { $0.name == "DistanceThreshold" }?.value == .number(100))
        #expect(object.properties.first { $0.name == "DesktopId" }?.value == .text("redshift"))
        #expect([0, 1, 2, 4, 5, 6, 8, 9].filter { AccuracyLevel.isRough($0) } == [1, 2, 4, 5])
    }

    @Test("a location has all eight properties; unknown values are GeoClue's values for unknown")
    func location() throws {
        var location = Location(
            coordinate: Coordinate(latitude: 52.5, longitude: 13.4),
            timestamp: Timestamp(nanosecondsSince1970: 1_700_000_000_250_000_000))
        let values = { (location: Location?) in
            Dictionary(uniqueKeysWithValues: Properties.location(location).map { ($0.name, $0.value) })
        }
        let bare = values(location)
        #expect(bare.count == 8)
        #expect(bare["Latitude"] == .real(52.5))
        #expect(bare["Altitude"] == .real(-Double.greatestFiniteMagnitude))
        #expect(bare["Speed"] == .real(-1))
        #expect(bare["Heading"] == .real(-1))
        #expect(bare["Timestamp"] == .time(seconds: 1_700_000_000, microseconds: 250_000))
        (location.altitude, location.speed, location.course, location.horizontalAccuracy) = (34, 1.5, 270, 4)
        let full = values(location)
        #expect(full["Altitude"] == .real(34))
        #expect(full["Speed"] == .real(1.5))
        #expect(full["Heading"] == .real(270))
        #expect(full["Accuracy"] == .real(4))
        for name in ["Latitude", "Longitude", "Accuracy"] {
            guard case .real(let number) = values(nil)[name] else {
                Issue.record("no \(name)")
                continue
            }
            #expect(number.isNaN)
        }
    }
}

/// A client object in a box, which `#expect` can have do something.
private final class Driven {
    private(set) var object: ClientObject

    init(_ object: ClientObject = ClientObject(number: 5)) { self.object = object }

    var isActive: Bool { object.isActive }
    var isRead: Bool { object.isRead }
    var requestedLevel: UInt32 { object.requestedLevel }
    var properties: [PropertyValue] { object.properties }
    func handle(_ event: ClientObject.Event) -> [ClientObject.Action] { object.handle(event) }
    func read(_ number: UInt64) -> Bool { object.read(number) }
    func set(_ property: ClientProperty) -> Bool { object.set(property) }
}
