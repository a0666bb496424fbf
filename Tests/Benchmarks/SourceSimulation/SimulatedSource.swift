package import LocationModel
package import LocationSources

/// A source that reports what it is told to.
///
/// `@unchecked Sendable` because it is confined to the event loop of its group.
package final class SimulatedSource: LocationSource, @unchecked Sendable {
    package let kind: Location.SourceInformation.Kind
    package let report: @Sendable (SourceReport) -> Void
    package private(set) var demand = LocationDemand.off

    package init(_ kind: Location.SourceInformation.Kind, _ report: @escaping @Sendable (SourceReport) -> Void) {
        (self.kind, self.report) = (kind, report)
    }

    package func setDemand(_ demand: LocationDemand) { self.demand = demand }
    package var status: SourceStatus { SourceStatus(kind: kind, connection: .connected, endpoint: kind.rawValue) }
    package func shutdown() {}
}
