import LocationModel
import Testing

@testable import LocationCore

/// The state machine of deliveries to one peer: events and the actions that follow, one row each.
@Suite("Deliveries to a peer", .timeLimit(.minutes(10))) struct DeliveryTests {
    /// An event, and whether the peer reads.
    enum Event {
        case location(Double)
        case reduced(Double)
        case frame
        case heading(Double)
        case report(LocationDiagnostic)
        /// The peer reads again; the newest position is this one.
        case resume(Double?)
    }

    private static let start = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000)

    private static func location(_ second: Double) -> Location {
        Location(
            coordinate: Coordinate(latitude: 48 + second * 1e-4, longitude: 11)!,
            timestamp: start.advanced(by: .seconds(second)))
    }

    private static func perform(_ event: Event, _ delivery: inout Delivery, isReady: Bool) -> Delivery.Action {
        switch event {
        case .location(let second): delivery.offer(location(second), isReady: isReady)
        case .reduced(let second): delivery.offer(reduced: location(second), isReady: isReady)
        case .frame: delivery.offerFrame(isReady: isReady)
        case .heading(let degrees):
            delivery.offer(Heading(trueHeading: degrees, timestamp: start), isReady: isReady)
        case .report(let diagnostic): delivery.report(diagnostic, nil, isReady: isReady)
        case .resume(let second): delivery.catchUp(with: second.map { (location($0), isReduced: false) })
        }
    }

    private typealias Row = (event: Event, isReady: Bool, action: Delivery.Action)

    private func check(_ rows: [Row], _ comment: Comment, of delivery: Delivery = Delivery()) {
        var delivery = delivery
        for (number, row) in rows.enumerated() {
            let action = Self.perform(row.event, &delivery, isReady: row.isReady)
            #expect(action == row.action, "\(comment), event \(number)")
        }
    }

    private func options(_ set: (inout SubscriptionOptions) -> Void) -> Delivery {
        var options = SubscriptionOptions()
        set(&options)
        return Delivery(options)
    }

    @Test("a peer that reads gets everything; one that does not gets the newest later, with the number of the others")
    func slowPeer() {
        check(
            [
                (.location(0), true, .deliver(skipped: nil)),
                (.location(1), false, .skip),
                (.location(2), false, .skip),
                (.resume(2), true, .deliver(skipped: 1)),
                (.resume(2), true, .none),
                (.location(3), true, .deliver(skipped: nil)),
            ], "locations")
        check(
            [
                (.frame, true, .deliver(skipped: nil)),
                (.frame, false, .skip),
                (.frame, false, .skip),
                (.frame, true, .deliver(skipped: 2)),
                (.resume(nil), true, .none),
            ], "frames, of which the next one makes up for those that were skipped")
        check(
            [(.reduced(0), false, .skip), (.resume(0), true, .deliver(skipped: nil))], "a reduced location")
    }

    @Test("a diagnostic is sent once, and again after a delivery")
    func diagnostics() {
        check(
            [
                (.report(.locationUnavailable), true, .report(.locationUnavailable, nil, skipped: nil)),
                (.report(.locationUnavailable), true, .none),
                (.location(0), true, .deliver(skipped: nil)),
                (.report(.locationUnavailable), true, .report(.locationUnavailable, nil, skipped: nil)),
                (.report(.insufficientlyInUse), true, .report(.insufficientlyInUse, nil, skipped: nil)),
            ], "to a peer that reads")
        check(
            [
                (.location(0), false, .skip),
                (.report(.insufficientlyInUse), false, .skip),
                (.resume(0), true, .report(.insufficientlyInUse, nil, skipped: 1)),
                (.resume(0), true, .none),
            ], "to a peer that did not read, instead of the position that it may not have any more")
        check(
            [
                (.report(.locationUnavailable), false, .skip),
                (.location(0), false, .skip),
                (.resume(0), true, .deliver(skipped: nil)),
            ], "superseded by a location")
    }

    @Test("filters also apply to locations that wait, and not to the first location after a diagnostic")
    func filters() {
        check(
            [
                (.location(0), true, .deliver(skipped: nil)),
                (.location(5), true, .none),
                (.report(.locationUnavailable), true, .report(.locationUnavailable, nil, skipped: nil)),
                (.location(6), true, .deliver(skipped: nil)),
                (.location(20), false, .skip),
                (.resume(9), true, .none),
            ], "an interval of ten seconds", of: options { $0.minimumInterval = 10 })
        check(
            [
                (.location(0), true, .none), (.reduced(0), true, .none), (.heading(5), true, .deliver(skipped: nil)),
                (.heading(5), false, .skip), (.resume(0), true, .none),
            ], "headings only, of which none is owed", of: options { $0.headingOnly = true })
        check([(.heading(5), true, .none)], "no headings wanted")
    }

    @Test("a stationary user is reported once, and locations skipped during the pause are not sent later")
    func pause() {
        var delivery = options { $0.pausesAutomatically = true }
        let still = { (second: Double) in
            Location(
                coordinate: Coordinate(latitude: 48, longitude: 11),
                timestamp: Self.start.advanced(by: .seconds(second)))
        }
        #expect(delivery.offer(still(0), isReady: true) == .deliver(skipped: nil))
        #expect(delivery.offer(still(121), isReady: true) == .report(.stationary, nil, skipped: nil))
        #expect(delivery.offer(still(122), isReady: true) == .none)
        #expect(delivery.offer(still(123), isReady: false) == .none)
        #expect(delivery.catchUp(with: (still(123), isReduced: false)) == .none)
    }
}
