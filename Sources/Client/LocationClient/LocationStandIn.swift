public import LocationModel

/// The answers to a ``LocationManager`` in tests and previews, in place of the service's: see ``LocationManager/init(standIn:)``.
///
/// Each property is called for each request of the program, from any thread.
///
/// ```swift
/// var standIn = LocationStandIn()
/// standIn.updates = { index in
///     index < 3 ? LocationUpdate(location: Location(latitude: 52.52, longitude: 13.40 + Double(index) / 100)) : nil
/// }
/// for try await update in LocationManager(standIn: standIn).liveUpdates() { print(update.location as Any) }
/// ```
public struct LocationStandIn: Sendable {
    /// The elements of a stream by their indexes, from 0; `nil` ends the stream. May wait, as the service does.
    public typealias Elements<Element> = @Sendable (_ index: Int) async throws(LocationError) -> Element?

    /// The authorization of the program, which is also the outcome of each request for it. Default *when in use*, with full accuracy.
    public var authorization: @Sendable () async throws(LocationError) -> LocationAuthorization = {
        LocationAuthorization(status: .authorizedWhenInUse)
    }
    /// The answer to ``LocationManager/requestLocation(timeout:waitsForAgent:)``. Throws ``LocationError/locationUnknown(reason:)`` by
    /// default.
    public var location: @Sendable () async throws(LocationError) -> Location = { () throws(LocationError) in
        throw LocationError.locationUnknown(reason: "The stand-in has no location.")
    }
    /// The elements of ``LocationManager/liveUpdates()``, ``LocationManager/headingUpdates()`` and
    /// ``LocationManager/significantLocationChanges()``. None by default. Filters of the manager do not apply to them.
    public var updates: Elements<LocationUpdate> = { _ in nil }
    /// The elements of ``LocationManager/followUpdates(rate:)``. None by default.
    public var frames: Elements<FollowUpdate> = { _ in nil }
    /// The elements of ``LocationManager/visits()``. None by default.
    public var visits: Elements<VisitUpdate> = { _ in nil }

    /// A stand-in that allows the location while in use, and has none.
    public init() {}
}
