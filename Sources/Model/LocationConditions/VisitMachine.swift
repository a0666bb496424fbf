package import LocationModel

/// Detects arrivals and departures from fixes, which may be minutes apart.
///
/// A visit begins when all fixes of 5 minutes are within 100 m of their mean (Q. Li et al., "Mining user similarity based
/// on location history", ACM GIS 2008: stay points by a distance and a time). It ends when two fixes at least half a
/// second apart are farther than 150 m from it by more than their radius of doubt. Durations are those of the monotonic
/// clock, reported times those of the fixes. When the fixes' clock is set, the arrival is dated by the new time.
package struct VisitMachine: Hashable, Sendable {
    /// The radius of a place, in metres.
    package static let radius = 100.0
    /// The distance of a departure, in metres.
    package static let departureRadius = 150.0
    /// The shortest visit.
    package static let shortest = Duration.seconds(300)
    /// The longest interval between fixes by which arrivals and departures are noticed soon enough.
    package static let lookInterval = Duration.seconds(150)
    private static let confirmation = Duration.seconds(0.5)
    /// The difference between the clocks from which that of the fixes was set: fixes come late by less.
    fileprivate static let clockStep = Duration.seconds(10)
    /// The number of fixes after which the mean is fixed, so that a place does not drift along with a slow walk.
    fileprivate static let mostFixes = 300.0

    fileprivate struct Place: Hashable, Sendable {
        var coordinate: Coordinate
        var radius: Double
        var count = 1.0
        var since: ContinuousClock.Instant
        var last: ContinuousClock.Instant
        var arrival: Timestamp
        /// The date of the last fix; `nil` if that was before a restart.
        var lastDate: Timestamp?
        var hasArrived = false
        var leavingSince: ContinuousClock.Instant?
        /// The last fix, if that was elsewhere before there was a visit: one alone may be wrong.
        var elsewhere: Sighting?
    }

    fileprivate struct Sighting: Hashable, Sendable {
        var fix: ConditionFix
        var timestamp: Timestamp
    }

    private var place: Place?

    /// A machine before the first fix.
    package init() {}

    /// A machine that continues `visit`, which was stored before a restart.
    package init(continuing visit: Visit, at time: ContinuousClock.Instant) {
        place = Place(
            coordinate: visit.coordinate, radius: visit.horizontalAccuracy, since: time, last: time,
            arrival: visit.arrivalDate, hasArrived: true)
    }

    /// The visit that lasts, if there is one.
    package var current: Visit? {
        guard let place, place.hasArrived else { return nil }
        return Visit(
            coordinate: place.coordinate, horizontalAccuracy: place.radius, arrivalDate: place.arrival)
    }

    /// The time at which the next fix is needed; `nil` before the first.
    package var nextLook: ContinuousClock.Instant? {
        guard let place else { return nil }
        return place.leavingSince ?? (place.last + Self.lookInterval)
    }

    /// Applies a fix, and returns a visit that has begun (without departure) or ended.
    package mutating func observe(_ fix: ConditionFix, timestamp: Timestamp) -> Visit? {
        guard fix.accuracy >= 0, fix.accuracy.isFinite else { return nil }
        guard var place else {
            if fix.accuracy <= Self.radius { place = Place(fix, timestamp) }
            return nil
        }
        guard fix.time >= place.last else { return nil }
        defer { self.place = place }
        let distance = place.coordinate.distance(to: fix.coordinate)
        if place.hasArrived {
            guard distance - fix.doubt > Self.departureRadius else {
                place.leavingSince = nil
                if distance <= Self.departureRadius { place.add(fix, timestamp, distance) }
                return nil
            }
            guard let since = place.leavingSince, since.duration(to: fix.time) >= Self.confirmation else {
                place.leavingSince = place.leavingSince ?? fix.time
                return nil
            }
            let ended = Visit(
                coordinate: place.coordinate, horizontalAccuracy: place.radius, arrivalDate: place.arrival,
                departureDate: place.lastDate ?? place.arrival)
            place = Place(fix, timestamp)
            return ended
        }
        guard fix.accuracy <= Self.radius else { return nil }
        guard distance <= Self.radius else {
            guard let elsewhere = place.elsewhere else {
                place.elsewhere = Sighting(fix: fix, timestamp: timestamp)
                return nil
            }
            let distance = elsewhere.fix.coordinate.distance(to: fix.coordinate)
            guard distance <= Self.radius else {
                // The user moves, or the receiver does.
                place = Place(fix, timestamp)
                return nil
            }
            place = Place(elsewhere.fix, elsewhere.timestamp)
            place.add(fix, timestamp, distance)
            return nil
        }
        place.elsewhere = nil
        place.add(fix, timestamp, distance)
        guard place.since.duration(to: fix.time) >= Self.shortest else { return nil }
        place.hasArrived = true
        return Visit(coordinate: place.coordinate, horizontalAccuracy: place.radius, arrivalDate: place.arrival)
    }
}

extension VisitMachine.Place {
    fileprivate init(_ fix: ConditionFix, _ timestamp: Timestamp) {
        self.init(
            coordinate: fix.coordinate, radius: fix.accuracy, since: fix.time, last: fix.time, arrival: timestamp,
            lastDate: timestamp)
    }

    /// Adds a fix to the mean.
    fileprivate mutating func add(_ fix: ConditionFix, _ timestamp: Timestamp, _ distance: Double) {
        if let lastDate {
            let step = timestamp.duration(since: lastDate) - last.duration(to: fix.time)
            if !(.zero - VisitMachine.clockStep...VisitMachine.clockStep).contains(step) {
                arrival = arrival.advanced(by: step)
            }
        }
        (last, lastDate) = (fix.time, timestamp)
        radius = min(max(radius, distance), VisitMachine.radius)
        guard count < VisitMachine.mostFixes else { return }
        count += 1
        let bearing = MeanSphere.course(from: coordinate.degrees, to: fix.coordinate.degrees)
        coordinate = coordinate.destination(distance: distance / count, bearing: bearing)
    }
}
