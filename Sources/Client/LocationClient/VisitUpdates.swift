import LocationInterface
public import LocationConditions
public import LocationModel

/// One element of ``VisitUpdates``: a visit, or the reason why none are detected now.
public struct VisitUpdate: ServiceUpdate, Hashable {
    /// The visit; `nil` in an update with a diagnostic.
    public var visit: Visit?
    /// The reason why visits are not detected now; `nil` while they are.
    public var diagnostic: LocationDiagnostic?
    /// The cause of ``diagnostic`` with a sentence for people; `nil` if the service names none.
    public var cause: LocationCause?
    /// Always 0: no visit is dropped.
    public var skippedCount: Int { 0 }
    /// True if the connection to the service is lost; the library reconnects by itself, and no visit is lost.
    public var serviceUnavailable = false

    /// An update with these members, for tests of what receives updates.
    public init(
        visit: Visit? = nil, diagnostic: LocationDiagnostic? = nil, cause: LocationCause? = nil,
        serviceUnavailable: Bool = false
    ) {
        self.visit = visit
        (self.diagnostic, self.cause) = (diagnostic, cause)
        self.serviceUnavailable = serviceUnavailable
    }
}

/// The visits of the user: see ``LocationManager/visits()``.
///
/// Each iteration is a stream of its own that ends when its task is cancelled, reports a lost connection, and continues when
/// the service is back. `next()` throws ``LocationError`` if the service cannot be reached at the start or refuses this
/// program for good.
public struct VisitUpdates: AsyncSequence, Sendable {
    let connector: ServiceConnector

    /// Returns an iterator, which connects at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(replies: ReconnectingReplies(connector: connector, parameters: Nothing()))
    }

    /// The iterator of one stream of visits.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var replies: ReconnectingReplies<MonitorInterface.WatchVisits>

        /// Returns the next update, or `nil` when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LocationError) -> VisitUpdate? {
            if let standIn = replies.standIn { return try await standIn.visits(replies.nextIndex()) }
            while let element = try await replies.next(isolation: actor) {
                switch element {
                case .reply(let reply):
                    if let visit = reply.visit { return VisitUpdate(visit: try Visit(visit)) }
                    // Without a member it says that visits are detected.
                    guard let diagnostic = reply.diagnostic else { continue }
                    return VisitUpdate(diagnostic: diagnostic, cause: reply.cause)
                case .connectionLost: return VisitUpdate(serviceUnavailable: true)
                }
            }
            return nil
        }
    }
}

extension Visit {
    fileprivate init(_ visit: MonitorInterface.Visit) throws(LocationError) {
        guard let coordinate = Coordinate(latitude: visit.latitude, longitude: visit.longitude) else {
            throw .unexpected("The location service has sent a visit with an invalid coordinate.")
        }
        self.init(
            coordinate: coordinate, horizontalAccuracy: visit.horizontalAccuracy, arrivalDate: visit.arrival,
            departureDate: visit.departure)
    }
}
