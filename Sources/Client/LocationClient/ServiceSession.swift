import LocationInterface
import LocationModel
import Pacing

/// The authorization that a feature of a program needs. A session requests it if the user is undecided, and reports its
/// changes.
///
/// The names are those of Core Location's `CLServiceSession`. It acts from its creation until ``invalidate()``, or until it is
/// released: hold it while the feature is used. Its diagnostics throw
/// ``LocationError/missingUsageDescription(key:file:message:)`` if the declaration lacks a text that the requirement needs.
///
/// ```swift
/// let session = ServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "Navigation")
/// for try await diagnostic in session.diagnostics where diagnostic.authorizationDenied {
///     showHint(diagnostic.cause?.message)
/// }
/// ```
public final class ServiceSession: Sendable {
    /// An authorization requirement.
    public enum AuthorizationRequirement: Hashable, Sendable {
        /// No requirement; the session does not prompt.
        case none
        /// Authorization while the program is in use.
        case whenInUse
        /// Authorization at any time.
        case always
    }

    /// The state of a session's requirements.
    public struct Diagnostic: Hashable, Sendable {
        /// The program's authorization now.
        public var authorization: LocationAuthorization
        /// True while the prompt is open.
        public var authorizationRequestInProgress = false
        /// The reason why the prompt was not answered, as a sentence for people; `nil` unless it could not be shown or
        /// timed out.
        public var unanswered: String?
        fileprivate var requirement: AuthorizationRequirement
        fileprivate var needsFullAccuracy: Bool

        /// The reason for a missing or reduced location, with a sentence for people; `nil` if there is none.
        public var cause: LocationCause? { authorization.cause }
        /// True if the user denied the authorization, or location services are off.
        public var authorizationDenied: Bool { authorization.status == .denied }
        /// True if location services are off, for the user or for everybody. ``authorizationDenied`` is true as well.
        public var authorizationDeniedGlobally: Bool { authorizationDenied && cause?.reason.isGlobal == true }
        /// True if a policy forbids access, which the user cannot change.
        public var authorizationRestricted: Bool { authorization.status == .restricted }
        /// True if the session requires *always* and the program is authorized only while in use.
        public var alwaysAuthorizationDenied: Bool {
            requirement == .always && authorization.status == .authorizedWhenInUse && !authorizationRequestInProgress
        }
        /// True if the program is authorized only while in use, and is not in use.
        public var insufficientlyInUse: Bool { cause?.reason.isAboutUse == true }
        /// True if the session requires full accuracy and the program is authorized for reduced accuracy.
        public var fullAccuracyDenied: Bool {
            needsFullAccuracy && authorization.accuracy == .reduced && !authorizationRequestInProgress
        }
    }

    private let broadcast: Broadcast<Diagnostic>
    private let task: Task<Void, Never>

    /// Begins a session, which prompts once for what is required and undecided.
    ///
    /// - Parameters:
    ///   - authorization: The authorization that the feature needs.
    ///   - fullAccuracyPurposeKey: The key in `NSLocationTemporaryUsageDescriptionDictionary` of the text that explains
    ///     why the feature needs full accuracy; `nil`, the default, if it does not.
    ///   - socketPath: The path of the service's socket; see ``LocationManager/init(socketPath:)``.
    public init(
        authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String? = nil, socketPath: String? = nil
    ) {
        let broadcast = Broadcast<Diagnostic>()
        let run = Run(
            manager: LocationManager(socketPath: socketPath), requirement: authorization,
            purposeKey: fullAccuracyPurposeKey, broadcast: broadcast)
        self.broadcast = broadcast
        task = broadcast.start { try await run.untilCancelled() }
    }

    deinit { invalidate() }

    /// The state of the requirements and its changes. The stream ends with the session, and throws as
    /// ``LocationManager/authorizationUpdates()`` does.
    public var diagnostics: some AsyncSequence<Diagnostic, LocationError> & Sendable { broadcast.values }

    /// Ends the session.
    public func invalidate() {
        broadcast.finish()
        task.cancel()
    }
}

/// The work of a session, without a reference to it.
private struct Run: Sendable {
    let manager: LocationManager
    let requirement: ServiceSession.AuthorizationRequirement
    let purposeKey: String?
    let broadcast: Broadcast<ServiceSession.Diagnostic>

    func untilCancelled() async throws {
        let state = State(requirement: requirement, needsFullAccuracy: purposeKey != nil, broadcast: broadcast)
        try await withThrowingTaskGroup { group in
            group.addTask {
                for try await authorization in manager.authorizationUpdates() { await state.note(authorization) }
            }
            group.addTask { try await ask(state) }
            // The first error ends both tasks.
            while try await group.next() != nil {}
        }
    }

    /// Prompts until there is an answer or a timeout. If the service goes away meanwhile, prompts again when it is
    /// back.
    private func ask(_ state: State) async throws {
        var backOff = BackOff.connecting
        while true {
            do {
                await state.ask(true)
                try await request { await state.ask(false, unanswered: $0) }
                return await state.ask(false)
            } catch LocationError.notAnswered(let message) {
                return await state.ask(false, unanswered: message)
            } catch LocationError.serviceUnavailable(let reason) {
                guard await state.hasHeard else { throw LocationError.serviceUnavailable(reason: reason) }
                try await backOff.sleep()
            }
        }
    }

    /// Requests the requirements, one after another. Each request stays open for an agent that comes, and `noAgent` is called
    /// with the reason meanwhile.
    private func request(noAgent: (String) async -> Void) async throws(LocationError) {
        var authorization = try await manager.authorization
        switch requirement {
        case .none: break
        case .whenInUse:
            authorization = try await manager.answer(
                to: AuthorizationInterface.RequestWhenInUse.self, Nothing(), noAgent: noAgent)
        case .always:
            authorization = try await manager.answer(
                to: AuthorizationInterface.RequestAlways.self, Nothing(), noAgent: noAgent)
        }
        let mayKnow = authorization.status == .authorizedWhenInUse || authorization.status == .authorizedAlways
        if let purposeKey, mayKnow, authorization.accuracy == .reduced {
            _ = try await manager.answer(
                to: AuthorizationInterface.RequestTemporaryFullAccuracy.self, .init(purposeKey: purposeKey),
                noAgent: noAgent)
        }
    }

    /// The state of the session, which sends each change.
    private actor State {
        private let requirement: ServiceSession.AuthorizationRequirement
        private let needsFullAccuracy: Bool
        private let broadcast: Broadcast<ServiceSession.Diagnostic>
        private var authorization: LocationAuthorization?
        private var isAsking = false
        private var unanswered: String?
        /// True once the service has replied.
        var hasHeard: Bool { authorization != nil }

        init(
            requirement: ServiceSession.AuthorizationRequirement, needsFullAccuracy: Bool,
            broadcast: Broadcast<ServiceSession.Diagnostic>
        ) {
            self.requirement = requirement
            self.needsFullAccuracy = needsFullAccuracy
            self.broadcast = broadcast
        }

        func note(_ authorization: LocationAuthorization) {
            // A decision made meanwhile answers the prompt. The first status may come after the prompt has ended.
            if let known = self.authorization, known.status != authorization.status { unanswered = nil }
            self.authorization = authorization
            report()
        }

        func ask(_ isAsking: Bool, unanswered: String? = nil) {
            self.isAsking = isAsking
            self.unanswered = unanswered
            report()
        }

        private func report() {
            guard let authorization else { return }
            var now = ServiceSession.Diagnostic(
                authorization: authorization, requirement: requirement, needsFullAccuracy: needsFullAccuracy)
            // If everything is decided, the request ends without a prompt.
            now.authorizationRequestInProgress = isAsking && authorization.status == .notDetermined
            now.unanswered = unanswered
            broadcast.send(now)
        }
    }
}

extension LocationReason {
    /// True if the reason is that the program is not in use, rather than not allowed.
    fileprivate var isAboutUse: Bool {
        switch self {
        case .unconfirmed, .noLogind, .noSession, .sessionNotOfPerson, .sessionClosing, .sessionLocked,
            .sessionNotActive, .noDesktop, .backgroundJob:
            true
        default: false
        }
    }
}
