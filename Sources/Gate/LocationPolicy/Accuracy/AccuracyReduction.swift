public import LocationModel

/// Reduces locations for a client that is authorized for reduced accuracy only.
///
/// A reduced location has three values: the time, the centre of a cell of about 5 km (see `AccuracyGrid`) and a radius
/// that contains the true position. At most one location in 15 minutes is considered, even if the cell has not changed,
/// so that the times of deliveries reveal nothing about movement.
///
/// All subscriptions, requests and users of a client share one value, because they share the receiver: otherwise each
/// further request, connection or user would yield another sample. The time of the last delivery is kept on disk, so
/// that a restart of the daemon yields none either.
///
/// Not hidden: that a user moved by kilometres, and in which direction; the position of a user known to travel straight
/// at a known speed, since many cells together locate them better than one. Colluding clients have different grids:
/// each further client narrows the place down, four of them to about half.
public struct AccuracyReduction: Sendable {
    /// The shortest time between two deliveries: four an hour.
    public static let interval = Duration.seconds(15 * 60)

    /// The last delivered location while it is younger than `interval`, for subscriptions and requests that arrive
    /// between two deliveries; otherwise `nil`.
    public func newest(at instant: ContinuousClock.Instant) -> Location? {
        guard let lastDelivery, lastDelivery.duration(to: instant) < Self.interval else { return nil }
        return newest
    }

    private var newest: Location?

    private let grid: AccuracyGrid
    private var cell: AccuracyGrid.Cell?
    private var lastDelivery: ContinuousClock.Instant?

    /// The state of a client that has received no location yet.
    public init(secret: Secret) {
        grid = AccuracyGrid(secret: secret)
    }

    /// True when the next delivery is allowed.
    public func isDue(at instant: ContinuousClock.Instant) -> Bool {
        lastDelivery.map { $0.duration(to: instant) >= Self.interval } ?? true
    }

    /// The reduced location to deliver in place of `location`, or `nil` when none is due.
    ///
    /// It has the time of `location`, and the true position is within its `horizontalAccuracy` with a probability of
    /// 99.9 %: the cell always contains the measured position, and the radius allows for the receiver's error.
    public mutating func reduce(_ location: Location, at instant: ContinuousClock.Instant) -> Location? {
        guard isDue(at: instant) else { return nil }

        let place = location.coordinate
        let current: AccuracyGrid.Cell =
            if let cell, grid.cell(cell, stillHolds: place) { cell } else { grid.cell(at: place) }
        guard let centre = grid.centre(of: current) else { return nil }
        var reduced = Location(coordinate: centre, timestamp: location.timestamp)
        reduced.horizontalAccuracy = Self.radius(reach: grid.reach(ofRow: current.row), of: location)

        cell = current
        lastDelivery = instant
        newest = reduced
        return reduced
    }

    /// A radius in whole kilometres that covers the cell and the receiver's error.
    ///
    /// It allows for an error of 2.5 times the 68 % radius, which holds 99.9 % of a normal distribution, but at least
    /// 500 m: the usual accuracy of a receiver depends on the streets and woods around it and would reveal them.
    private static func radius(reach: Double, of location: Location) -> Double {
        let error = max(500, 2.5 * (location.horizontalAccuracy ?? 0))
        return ((reach + error) / 1000).rounded(.up) * 1000
    }
}
