public import LocationConditions
import LocationInterface
public import LocationModel

/// Watches places for this program, even while it is not running.
///
/// The names are those of Core Location's `CLMonitor`. The service keeps the conditions and their last states: they survive
/// restarts of the program, of the service and of the machine. What changed meanwhile is delivered once, to the next
/// iteration of ``events``.
///
/// Conditions are watched at any time for a program that is authorized *always*, while it is in use for one that is authorized
/// *when in use*, and not at all with reduced accuracy. The monitor does not prompt: request the authorization with
/// ``LocationManager/requestAlwaysAuthorization()``. Resetting the decisions about the program deletes its conditions.
///
/// ```swift
/// let monitor = LocationMonitor("Errands")
/// let shop = try CircularGeographicCondition(center: Coordinate(latitude: 48.137, longitude: 11.575)!, radius: 150)
/// try await monitor.add(shop, identifier: "shop")
/// for try await event in monitor.events where event.identifier == "shop" && event.state == .satisfied {
///     print("Buy milk.")
/// }
/// ```
public struct LocationMonitor: Sendable {
    /// A condition that is satisfied within a circle.
    public typealias CircularGeographicCondition = LocationConditions.CircularGeographicCondition
    /// A condition that is satisfied inside a polygon.
    public typealias PolygonGeographicCondition = LocationConditions.PolygonGeographicCondition

    /// The shape of a condition.
    public enum Condition: Hashable, Sendable {
        /// Satisfied within a circle.
        case circle(LocationConditions.CircularGeographicCondition)
        /// Satisfied inside a polygon.
        case polygon(LocationConditions.PolygonGeographicCondition)
    }

    /// A change of a condition's state; or, with a diagnostic, the reason why this monitor's conditions are not watched now.
    public struct Event: ServiceUpdate, Hashable {
        /// A state: inside, outside or unknown.
        public typealias State = ConditionState

        /// The identifier of the condition; empty in an event with a diagnostic, which concerns all conditions.
        public var identifier: String
        /// The state; `unknown` in an event with a diagnostic.
        public var state: State
        /// The time of the fix that decided the change, or of the condition's addition; `nil` in an event with a diagnostic.
        public var date: Timestamp?
        /// The reason why the conditions are not watched now; `nil` for a change.
        public var diagnostic: LocationDiagnostic?
        /// The cause of ``diagnostic`` with a sentence for people; `nil` if the service names none.
        public var cause: LocationCause?
        /// Always 0. Of several changes of one condition that the program has not received, the last is delivered.
        public var skippedCount: Int { 0 }
        /// True if the connection to the service is lost; the library reconnects by itself, and no change is lost.
        public var serviceUnavailable = false

        init(_ event: MonitorInterface.Event) {
            (identifier, state, date) = (event.identifier, State(event.state), event.date)
        }

        /// An event with these members, for tests of what receives events.
        public init(
            identifier: String = "", state: State = .unknown, date: Timestamp? = nil,
            diagnostic: LocationDiagnostic? = nil, cause: LocationCause? = nil, serviceUnavailable: Bool = false
        ) {
            (self.identifier, self.state, self.date) = (identifier, state, date)
            (self.diagnostic, self.cause, self.serviceUnavailable) = (diagnostic, cause, serviceUnavailable)
        }
    }

    /// A condition with its last event.
    public struct Record: Hashable, Sendable {
        /// The shape.
        public var condition: Condition
        /// The last change of its state, or its addition.
        public var lastEvent: Event

        /// A condition with its last event, for tests.
        public init(condition: Condition, lastEvent: Event) {
            (self.condition, self.lastEvent) = (condition, lastEvent)
        }
    }

    /// The name of the monitor. Monitors with different names have conditions of their own.
    public let name: String

    private let connector: ServiceConnector

    /// Creates a monitor, or refers to an existing one of this program.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes without control characters.
    ///   - socketPath: The path of the service's socket; see ``LocationManager/init(socketPath:)``.
    public init(_ name: String, socketPath: String? = nil) {
        self.name = name
        connector = ServiceConnector(socketPath: socketPath)
    }

    /// Begins to watch a circle, in place of the condition with the same identifier. It is stored when the call returns.
    ///
    /// - Parameters:
    ///   - condition: The circle.
    ///   - identifier: 1 to 255 bytes without control characters.
    ///   - state: The state that the program assumes, of which it is not told. Default `unknown`, so that the first
    ///     determination is an event.
    /// - Throws: ``LocationError/limitExceeded(limit:value:)`` for `ConditionsPerClient` or `Conditions`;
    ///   ``LocationError/invalidParameter(name:)``; ``LocationError/refused(message:)`` if it cannot be saved;
    ///   ``LocationError/clientNotDeclared(message:)``; ``LocationError/serviceUnavailable(reason:)``.
    public func add(
        _ condition: LocationConditions.CircularGeographicCondition, identifier: String,
        assuming state: Event.State = .unknown
    ) async throws(LocationError) {
        try await add(.circle(condition), identifier, state)
    }

    /// Begins to watch a polygon, as ``add(_:identifier:assuming:)-(CircularGeographicCondition,_,_)`` does for a circle. All
    /// polygons of a program together have at most 20,000 points: the error's limit is `PolygonPointsPerClient`.
    public func add(
        _ condition: LocationConditions.PolygonGeographicCondition, identifier: String,
        assuming state: Event.State = .unknown
    ) async throws(LocationError) {
        try await add(.polygon(condition), identifier, state)
    }

    private func add(
        _ condition: GeographicCondition, _ identifier: String, _ state: Event.State
    ) async throws(LocationError) {
        _ = try await connector.call(
            MonitorInterface.AddCondition.self,
            .init(
                monitor: name, identifier: identifier, condition: MonitorInterface.Condition(condition),
                assuming: state == .unknown ? nil : MonitorInterface.State(state)))
    }

    /// Stops watching a condition, which is deleted when the call returns. Does nothing if there is none with this
    /// identifier. Throws as ``add(_:identifier:assuming:)-(CircularGeographicCondition,_,_)`` does.
    public func remove(_ identifier: String) async throws(LocationError) {
        _ = try await connector.call(
            MonitorInterface.RemoveCondition.self, .init(monitor: name, identifier: identifier))
    }

    /// Returns a condition with its last event; `nil` if there is none with this identifier.
    ///
    /// Throws ``LocationError/clientNotDeclared(message:)`` or ``LocationError/serviceUnavailable(reason:)``.
    public func record(for identifier: String) async throws(LocationError) -> Record? {
        let reply = try await connector.call(
            MonitorInterface.GetCondition.self, .init(monitor: name, identifier: identifier))
        guard let condition = reply.condition, let event = reply.event else { return nil }
        return Record(condition: try Condition(condition), lastEvent: Event(event))
    }

    /// The identifiers of the conditions, in order. Throws as ``record(for:)`` does.
    public var identifiers: [String] {
        get async throws(LocationError) { try await lastEvents.map(\.identifier) }
    }

    /// The last event of each condition, by identifier. Throws as ``record(for:)`` does.
    public var lastEvents: [Event] {
        get async throws(LocationError) {
            try await connector.call(MonitorInterface.ListConditions.self, .init(monitor: name)).conditions.map(
                Event.init)
        }
    }

    /// The changes of the conditions: those that the program has not received yet, then each new one. An event with a
    /// diagnostic has the reason why nothing is watched now.
    public var events: Events {
        Events(connector: connector, parameters: MonitorInterface.WatchConditions.Parameters(monitor: name))
    }

    /// The changes of a monitor's conditions.
    ///
    /// Each iteration is a stream of its own that ends when its task is cancelled, reports a lost connection
    /// (``ServiceUpdate/serviceUnavailable``), and continues when the service is back. `next()` throws ``LocationError`` if
    /// the service cannot be reached at the start or refuses this program for good. A program has at most
    /// `MonitorStreamsPerClient` streams of events and visits, by default 100.
    public struct Events: AsyncSequence, Sendable {
        let connector: ServiceConnector
        let parameters: MonitorInterface.WatchConditions.Parameters

        /// Returns an iterator, which connects at the first call of `next()`.
        public func makeAsyncIterator() -> Iterator {
            Iterator(replies: ReconnectingReplies(connector: connector, parameters: parameters))
        }

        /// The iterator of one stream of events.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var replies: ReconnectingReplies<MonitorInterface.WatchConditions>

            /// Returns the next event, or `nil` when the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(LocationError) -> Event? {
                while let element = try await replies.next(isolation: actor) {
                    switch element {
                    case .reply(let reply):
                        if let event = reply.event { return Event(event) }
                        // Without a member it says that the conditions are watched.
                        guard let diagnostic = reply.diagnostic else { continue }
                        return Event(diagnostic: diagnostic, cause: reply.cause)
                    case .connectionLost: return Event(serviceUnavailable: true)
                    }
                }
                return nil
            }
        }
    }
}

extension LocationMonitor.Condition {
    fileprivate init(_ condition: MonitorInterface.Condition) throws(LocationError) {
        do throws(GeographicConditionError) {
            switch try GeographicCondition(condition) {
            case .circle(let circle): self = .circle(circle)
            case .polygon(let polygon): self = .polygon(polygon)
            }
        } catch {
            throw .unexpected("The location service has sent an invalid condition: \(error)")
        }
    }
}
