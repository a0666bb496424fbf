public import LocationModel

/// What a client with reduced accuracy gets instead of locations.
///
/// Of a location only the time is left, the centre of a cell of about 5 km (see `AccuracyGrid`) and a radius that holds
/// the truth; and at most one location in 15 minutes is looked at at all, whatever it is, so that when something is
/// delivered says nothing of how somebody moves.
///
/// One value serves one client: all of its subscriptions, its requests and its users, since it is always the same
/// receiver. Otherwise to ask once more, to reconnect or to be started by somebody else would be a further sample. When the
/// last one was is kept on disk, so that a daemon that is started anew gives no further sample either.
///
/// What it does not hide: that somebody moved by kilometres, and in which direction; of somebody known to travel straight
/// on at a known speed, where on the line they are, which many cells together tell better than one. And clients that
/// put together what they know have several grids: each further client narrows the place down, four to about half.
public struct AccuracyReduction: Sendable {
    /// The least time between two deliveries: four an hour.
    public static let interval = Duration.seconds(15 * 60)

    /// The reduced location that was delivered last, until the next may be: what a further subscription and a request
    /// between two deliveries get. `nil` when it is older than that.
    public func newest(at instant: ContinuousClock.Instant) -> Location? {
        guard let lastDelivery, lastDelivery.duration(to: instant) < Self.interval else { return nil }
        return newest
    }

    private var newest: Location?

    private let grid: AccuracyGrid
    private var cell: AccuracyGrid.Cell?
    private var lastDelivery: ContinuousClock.Instant?

    /// A client that has been given nothing yet.
    public init(secret: Secret) {
        grid = AccuracyGrid(secret: secret)
    }

    /// Whether a location may be looked at now.
    public func isDue(at instant: ContinuousClock.Instant) -> Bool {
        lastDelivery.map { $0.duration(to: instant) >= Self.interval } ?? true
    }

    /// The location to deliver for this one, or `nil` when none is due.
    ///
    /// It bears the time of `location`, and at that time the truth is within its `horizontalAccuracy`: always as far as
    /// the cell is concerned, in 99.9 % of all cases as far as the receiver's own error is.
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

    /// A radius in whole kilometres that holds the cell and the receiver's error.
    ///
    /// The error allowed for is 2.5 times the 68 % radius, which holds 99.9 % of a normal distribution, and never less
    /// than 500 m: a receiver's everyday accuracy depends on the streets and woods around it and must not show.
    private static func radius(reach: Double, of location: Location) -> Double {
        let error = max(500, 2.5 * (location.horizontalAccuracy ?? 0))
        return ((reach + error) / 1000).rounded(.up) * 1000
    }
}
