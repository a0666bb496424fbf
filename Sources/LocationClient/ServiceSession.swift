import LocationModel
import Pacing

/// The location requirements of a feature of a program: requested if they are undecided, and watched.
///
/// The names are those of Core Location's `CLServiceSession`. Where the declaration lacks a text that a requirement takes,
/// iterating throws ``LocationError/missingUsageDescription(key:file:message:)``.
///
/// ```swift
/// let session = ServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "Navigation")
/// for try await diagnostic in session.diagnostics() where diagnostic.authorizationDenied {
///     showHint(diagnostic.cause?.message)
/// }
/// ```
public struct ServiceSession: Sendable {
    /// The authorization that a feature needs.
    public enum AuthorizationRequirement: Hashable, Sendable {
        /// None: nobody is asked.
        case none
        /// The location while the program is in use.
        case whenInUse
        /// The location at any time.
        case always
    }

    /// How things stand with a session's requirements.
    public struct Diagnostic: Hashable, Sendable {
        /// The authorization of the program now.
        public var authorization: LocationAuthorization
        /// The user is being asked.
        public var authorizationRequestInProgress = false
        /// The user has not answered in time, or could not be asked: why, as a sentence for people.
        public var unanswered: String?
        fileprivate var requirement: AuthorizationRequirement
        fileprivate var needsFullAccuracy: Bool

        /// Why nothing, or nothing exact, comes at this moment.
        public var cause: LocationCause? { authorization.cause }
        /// The user said no, nobody may be asked, or location services are off.
        public var authorizationDenied: Bool { authorization.status == .denied }
        /// Location services are off, for the user or for everybody. ``authorizationDenied`` is true, too.
        public var authorizationDeniedGlobally: Bool { authorizationDenied && cause?.reason.isGlobal == true }
        /// A policy forbids it and the user cannot change that.
        public var authorizationRestricted: Bool { authorization.status == .restricted }
        /// The session needs *always*, and the program may know only while it is in use.
        public var alwaysAuthorizationDenied: Bool {
            requirement == .always && authorization.status == .authorizedWhenInUse && !authorizationRequestInProgress
        }
        /// The program may know only while it is in use, and is not.
        public var insufficientlyInUse: Bool { cause?.reason.isAboutUse == true }
        /// The session needs full accuracy, and the program may know only roughly.
        public var fullAccuracyDenied: Bool {
            needsFullAccuracy && authorization.accuracy == .reduced && !authorizationRequestInProgress
        }
    }

    private let manager: LocationManager
    private let requirement: AuthorizationRequirement
    private let purposeKey: String?

    /// A session that begins when its diagnostics are iterated.
    ///
    /// - Parameters:
    ///   - authorization: what the feature needs.
    ///   - fullAccuracyPurposeKey: names the text in `NSLocationTemporaryUsageDescriptionDictionary` that says why the
    ///     feature needs full accuracy; `nil` where it does not.
    ///   - socketPath: where the service listens; see ``LocationManager/init(socketPath:)``.
    public init(
        authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String? = nil, socketPath: String? = nil
    ) {
        manager = LocationManager(socketPath: socketPath)
        requirement = authorization
        purposeKey = fullAccuracyPurposeKey
    }

    /// How things stand with the requirements, now and after every change. Prompts the user, once an iteration, for what
    /// is required and not decided. Lasts until it is cancelled, as ``LocationManager/authorizationUpdates()`` does.
    public func diagnostics() -> AsyncThrowingStream<Diagnostic, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Diagnostic.self)
        // A task of its own, since the user is asked while changes go on to be reported; it ends with the iteration.
        let task = Task {
            do {
                try await run(continuation)
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func run(_ continuation: AsyncThrowingStream<Diagnostic, any Error>.Continuation) async throws {
        let state = State(requirement: requirement, needsFullAccuracy: purposeKey != nil, continuation: continuation)
        try await withThrowingTaskGroup { group in
            group.addTask {
                for try await authorization in manager.authorizationUpdates() { await state.note(authorization) }
            }
            group.addTask { try await ask(state) }
            // The first error ends both.
            while try await group.next() != nil {}
        }
    }

    /// Asks until there is an answer, or none in time. A service that goes away meanwhile is asked again when it is back.
    private func ask(_ state: State) async throws {
        var backOff = BackOff.connecting
        while true {
            do {
                await state.ask(true)
                try await request()
                return await state.ask(false)
            } catch LocationError.notAnswered(let message) {
                return await state.ask(false, unanswered: message)
            } catch LocationError.serviceUnavailable(let reason) {
                guard await state.hasHeard else { throw LocationError.serviceUnavailable(reason: reason) }
                try await backOff.sleep()
            }
        }
    }

    /// Asks for what is required, one thing after another.
    private func request() async throws(LocationError) {
        var authorization = try await manager.authorization
        switch requirement {
        case .none: break
        case .whenInUse: authorization = try await manager.requestWhenInUseAuthorization()
        case .always: authorization = try await manager.requestAlwaysAuthorization()
        }
        let mayKnow = authorization.status == .authorizedWhenInUse || authorization.status == .authorizedAlways
        if let purposeKey, mayKnow, authorization.accuracy == .reduced {
            try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: purposeKey)
        }
    }

    /// The state of an iteration, which reports each change.
    private actor State {
        private let requirement: AuthorizationRequirement
        private let needsFullAccuracy: Bool
        private let continuation: AsyncThrowingStream<Diagnostic, any Error>.Continuation
        private var authorization: LocationAuthorization?
        private var isAsking = false
        private var unanswered: String?
        private var last: Diagnostic?
        /// Whether the service was there once.
        var hasHeard: Bool { authorization != nil }

        init(
            requirement: AuthorizationRequirement, needsFullAccuracy: Bool,
            continuation: AsyncThrowingStream<Diagnostic, any Error>.Continuation
        ) {
            self.requirement = requirement
            self.needsFullAccuracy = needsFullAccuracy
            self.continuation = continuation
        }

        func note(_ authorization: LocationAuthorization) {
            // A decision made since is an answer.
            if self.authorization?.status != authorization.status { unanswered = nil }
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
            var now = Diagnostic(
                authorization: authorization, requirement: requirement, needsFullAccuracy: needsFullAccuracy)
            // Where everything is decided the request ends without anybody being asked.
            now.authorizationRequestInProgress = isAsking && authorization.status == .notDetermined
            now.unanswered = unanswered
            guard now != last else { return }
            last = now
            continuation.yield(now)
        }
    }
}

extension LocationReason {
    /// Whether the program is not in use, rather than not allowed.
    fileprivate var isAboutUse: Bool {
        switch self {
        case .unconfirmed, .noLogind, .noSession, .sessionNotOfPerson, .sessionClosing, .sessionLocked,
            .sessionNotActive, .noDesktop, .backgroundJob:
            true
        default: false
        }
    }
}
