import LocationModel
import NIOCore

/// Chooses among the kinds of sources: receivers, Wi-Fi positioning and the fixed position.
///
/// A state machine without clock and timer: every input carries its time and returns the events to report; `nextDeadline`
/// is the time of the next `tick`. ``ReceiverTracker`` has chosen among the receivers before.
///
/// The rules, in their order:
///
/// 1. A location of a receiver is fresh until the tracker reports it lost, another one as long as its source says.
/// 2. A receiver precedes Wi-Fi and the fixed position. It takes over as soon as its accuracy is 50 m or better, or no worse
///    than that of the published location. The others take over ``hold`` after it was lost, so that a street with high
///    houses does not make the location jump.
/// 3. The fixed position precedes Wi-Fi while the two agree. Three locations of Wi-Fi in a row that contradict it, and agree
///    with one another, put Wi-Fi first until one agrees with it again: the machine is travelling.
/// 4. A server's answer may be wrong by the distance that a router has moved. One that cannot be reached from the last
///    location at ``highestSpeed`` waits until two more agree with it. The first, with nothing to compare it with, counts as
///    ``unconfirmedRadius`` at best until a second one agrees.
/// 5. The accuracy of a location of Wi-Fi is ``leastNetworkRadius`` at best, and 2 m worse for every second of its age at
///    its publication.
/// 6. While coarse locations suffice, Wi-Fi and the fixed position precede the receivers, which are not needed then.
///
/// Times do not go back: a location of Wi-Fi from before the published location is not published after it, but the next one.
struct SourceChoice {
    /// The time without a receiver's fix after which another kind takes over.
    static let hold = TimeAmount.seconds(10)
    /// The accuracy in metres with which a receiver takes over from a better location.
    static let sufficientRadius = 50.0
    /// The smallest radius of a location of Wi-Fi, in metres.
    static let leastNetworkRadius = 30.0
    /// The smallest radius of the first location of Wi-Fi, in metres.
    static let unconfirmedRadius = 100.0
    /// The growth of the radius of an ageing location of Wi-Fi, in metres a second.
    static let drift = 2.0
    /// The speed at which a machine may have moved between two locations, in metres a second.
    static let highestSpeed = 60.0
    /// The number of locations of Wi-Fi in a row that are accepted although they contradict the known location.
    static let believedAnswers = 3
    /// The time by which a machine's clock may differ from the receivers' before that counts as another time line.
    static let longestStep = Duration.seconds(90)

    /// A location that no receiver measured.
    private struct Estimate {
        var source: Int
        var location: Location
        var arrival: NIODeadline
        /// `nil` for no limit.
        var freshUntil: NIODeadline?

        var kind: Location.SourceInformation.Kind? { location.sourceInformation?.kind }
        func isFresh(at now: NIODeadline) -> Bool { freshUntil.map { now < $0 } ?? true }
    }

    /// The origin of a published location.
    enum Origin: Equatable {
        /// The receivers, of which the tracker has selected one.
        case receivers
        /// A source that is no receiver, by its number.
        case source(Int)
    }

    /// Locations of Wi-Fi in a row that agree with one another, but not with the known location.
    private struct Claim {
        private var last: (location: Location, at: NIODeadline)?
        private var count = 0
        /// True for so many that they are believed.
        var isBelieved: Bool { count >= believedAnswers }

        mutating func add(_ location: Location, at now: NIODeadline) {
            if let last, !agree(location, last.location, after: now - last.at) { count = 0 }
            (last, count) = ((location, now), count + 1)
        }
    }

    private let wallClock: @Sendable () -> Timestamp
    /// The need for locations.
    private var demand = LocationDemand.off
    /// The last location of the receivers while it is fresh.
    private var receiverFix: Location?
    /// The reason for having none; `nil` until the tracker reports one.
    private(set) var receiverLoss: UnavailableReason?
    /// The time before which no other kind takes over from the receivers.
    private var heldUntil: NIODeadline?
    private var estimates: [Estimate] = []
    /// The origin of the published location; `nil` if there is none, or no longer one.
    private(set) var published: Origin?
    /// The last published location's time and origin.
    private var last: (time: Timestamp, by: Origin)?
    /// The last location of a receiver or Wi-Fi that was believed.
    private var reference: (location: Location, at: NIODeadline)?
    /// Locations of Wi-Fi that cannot be reached from `reference`.
    private var doubted = Claim()
    /// Locations of Wi-Fi that contradict the fixed position.
    private var contradicting = Claim()
    /// How the receivers agree with the other sources, by their numbers.
    private var disagreements: [Int: Disagreement] = [:]
    /// The reported reason for having no location; `nil` while there is one.
    private var reported: UnavailableReason?

    /// No need and no location. `wallClock` gives the time for the fixed position.
    init(wallClock: @escaping @Sendable () -> Timestamp) { self.wallClock = wallClock }

    /// The age and the radius of the fresh location of a source that is no receiver; `nil` without one.
    func estimate(of source: Int, at now: NIODeadline) -> (age: Duration, radius: Double?)? {
        estimates.first { $0.source == source && $0.isFresh(at: now) }.map {
            (.nanoseconds((now - $0.arrival).nanoseconds), aged($0, at: now).horizontalAccuracy)
        }
    }

    /// The doubt about the receivers' location that a source that is no receiver gives rise to; `nil` for none.
    ///
    /// - Parameter name: the source's name.
    func doubt(because source: Int, _ name: String, at now: NIODeadline) -> SourceDoubt? {
        guard estimates.contains(where: { $0.source == source && $0.isFresh(at: now) }) else { return nil }
        return disagreements[source]?.doubt(naming: name, at: now)
    }

    /// True if a location of Wi-Fi or the fixed position is fresh.
    func hasFreshEstimate(at now: NIODeadline) -> Bool { estimates.contains { $0.isFresh(at: now) } }

    /// The time at which the published location goes stale; `nil` for one of the receivers, for one that stays fresh, and
    /// without one.
    var staleAt: NIODeadline? {
        guard case .source(let number) = published else { return nil }
        return estimates.first { $0.source == number }?.freshUntil
    }

    // MARK: - Inputs

    /// Sets the need. Nothing that a receiver reported before a pause is published after it, and the fixed position is reported
    /// again.
    mutating func setDemand(_ demand: LocationDemand, at now: NIODeadline) -> [SourceEvent] {
        if self.demand == .off || demand == .off {
            (published, reported) = (nil, nil)
            endReceivers()
            estimates.removeAll { $0.kind == .fixed }
        }
        self.demand = demand
        return choose(at: now)
    }

    /// Takes a location that the tracker has selected among those of the receivers.
    mutating func receive(_ location: Location, at now: NIODeadline) -> [SourceEvent] {
        (receiverFix, receiverLoss, heldUntil) = (location, nil, nil)
        reference = (location, now)
        doubted = Claim()
        for estimate in estimates where estimate.isFresh(at: now) {
            let age = estimate.kind == .fixed ? .zero : now - estimate.arrival
            disagreements[estimate.source, default: Disagreement()].compare(
                location, aged(estimate, at: now), apart: age, at: now)
        }
        // The tracker has ordered the receivers' own times.
        if let last, last.by != .receivers, goesBack(location) { return [] }
        switch published {
        case nil, .receivers: break
        case .source where !hasFreshEstimate(at: now): break
        case .source(let source):
            let radius = estimate(of: source, at: now)?.radius ?? .infinity
            guard demand > .coarse, (location.horizontalAccuracy ?? 0) <= max(Self.sufficientRadius, radius) else {
                return []
            }
        }
        return publish(location, by: .receivers)
    }

    /// Takes the tracker's report that the receivers have no fresh fix.
    mutating func lose(_ reason: UnavailableReason, at now: NIODeadline) -> [SourceEvent] {
        if receiverFix != nil { heldUntil = now + Self.hold }
        (receiverFix, receiverLoss) = (nil, reason)
        disagreements = [:]
        if published == .receivers { published = nil }
        return choose(at: now)
    }

    /// Takes the end of the receivers' work, because they are not needed.
    mutating func endReceivers() {
        (receiverFix, receiverLoss, heldUntil) = (nil, nil, nil)
        disagreements = [:]
    }

    /// Takes a location of a source that is no receiver.
    ///
    /// - Parameter freshFor: the time for which it is fresh; `nil` for no limit.
    mutating func receive(
        _ location: Location, from source: Int, freshFor: TimeAmount?, at now: NIODeadline
    ) -> [SourceEvent] {
        var location = location
        if location.sourceInformation?.kind == .wifi {
            location.horizontalAccuracy = max(Self.leastNetworkRadius, location.horizontalAccuracy ?? .infinity)
            compareWithFixed(location, at: now)
            let isFirst = reference == nil
            guard isPlausible(location, at: now) else { return [] }
            reference = (location, now)
            if isFirst {
                location.horizontalAccuracy = location.horizontalAccuracy.map { max(Self.unconfirmedRadius, $0) }
            }
        }
        let isSame = estimates.contains { $0.source == source && $0.location == location }
        estimates.removeAll { $0.source == source }
        estimates.append(
            Estimate(source: source, location: location, arrival: now, freshUntil: freshFor.map { now + $0 }))
        return choose(at: now, renewed: isSame ? nil : source)
    }

    /// Takes the end of a source's location.
    mutating func withdraw(_ source: Int, at now: NIODeadline) -> [SourceEvent] {
        estimates.removeAll { $0.source == source }
        return choose(at: now)
    }

    /// Forgets the past, since location services were switched off or another user became active.
    mutating func forget() {
        estimates.removeAll { $0.kind != .fixed }
        (reference, doubted, contradicting) = (nil, Claim(), Claim())
    }

    /// Takes the passing of time.
    mutating func tick(at now: NIODeadline) -> [SourceEvent] { choose(at: now) }

    /// The time of the next `tick`; `nil` without one.
    var nextDeadline: NIODeadline? {
        guard demand > .off else { return nil }
        return ([heldUntil] + estimates.map(\.freshUntil)).compactMap(\.self).min()
    }

    // MARK: - Choosing

    /// Publishes the best location of a source that is no receiver, if it is its turn and not published yet.
    ///
    /// - Parameter renewed: the source that has a new location.
    private mutating func choose(at now: NIODeadline, renewed: Int? = nil) -> [SourceEvent] {
        guard demand > .off else { return [] }
        if let end = heldUntil, end <= now { heldUntil = nil }
        estimates.removeAll { !$0.isFresh(at: now) }
        if case .source(let source)? = published, !estimates.contains(where: { $0.source == source }) {
            published = nil
        }
        let areReceiversFirst = demand > .coarse && (receiverFix != nil || heldUntil != nil)
        if let best = best() {
            let isPublished = published == .source(best.source)
            if isPublished && renewed == best.source || !isPublished && !areReceiversFirst {
                let location = aged(best, at: now)
                if best.kind == .fixed || !goesBack(location) { return publish(location, by: .source(best.source)) }
            }
        }
        guard published == nil, receiverFix == nil, let receiverLoss, receiverLoss != reported else { return [] }
        reported = receiverLoss
        return [.unavailable(receiverLoss)]
    }

    /// The location of Wi-Fi or the fixed position that precedes the others.
    private func best() -> Estimate? {
        let fixed = estimates.first { $0.kind == .fixed }
        let network = estimates.first { $0.kind != .fixed }
        return contradicting.isBelieved ? network ?? fixed : fixed ?? network
    }

    private mutating func publish(_ location: Location, by origin: Origin) -> [SourceEvent] {
        (published, last, reported) = (origin, (location.timestamp, origin), nil)
        return [.location(location)]
    }

    /// The location of a source that is no receiver, with the accuracy and the time that it has now.
    private func aged(_ estimate: Estimate, at now: NIODeadline) -> Location {
        var location = estimate.location
        if estimate.kind == .fixed {
            // The machine is there now.
            location.timestamp = wallClock()
        } else {
            let age = Double((now - estimate.arrival).nanoseconds) / 1e9
            location.horizontalAccuracy = location.horizontalAccuracy.map { $0 + Self.drift * age }
        }
        return location
    }

    /// True for a location from before the last published one, by clocks that can be compared.
    private func goesBack(_ location: Location) -> Bool {
        guard let last, location.timestamp <= last.time else { return false }
        return last.time.duration(since: location.timestamp) < Self.longestStep
    }

    // MARK: - Plausibility

    /// True for a location of Wi-Fi that can be reached from what was known, or that enough others agree with.
    private mutating func isPlausible(_ location: Location, at now: NIODeadline) -> Bool {
        if let reference, !Self.agree(location, reference.location, after: now - reference.at) {
            doubted.add(location, at: now)
            guard doubted.isBelieved else { return false }
        }
        doubted = Claim()
        return true
    }

    private mutating func compareWithFixed(_ location: Location, at now: NIODeadline) {
        guard let fixed = estimates.first(where: { $0.kind == .fixed })?.location,
            let radius = location.horizontalAccuracy, location.distance(from: fixed) > 3 * radius + 500
        else { return contradicting = Claim() }
        contradicting.add(location, at: now)
    }

    /// True if a machine may have been at both locations within a time.
    private static func agree(_ one: Location, _ other: Location, after time: TimeAmount) -> Bool {
        let radii = (one.horizontalAccuracy ?? 0) + (other.horizontalAccuracy ?? 0)
        return one.distance(from: other) <= highestSpeed * Double(time.nanoseconds) / 1e9 + 3 * radii
    }
}
