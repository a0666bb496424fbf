import LocationInterface

/// Keeps this program in use in the background, for as long as it is held and the user sees an indicator.
///
/// The names are those of Core Location's `CLBackgroundActivitySession`. It begins when it is created and ends at
/// ``invalidate()`` or when it is released. The declaration needs `UIBackgroundModes` with `location`, and the program must be
/// in use at the start.
///
/// ```swift
/// let session = BackgroundActivitySession()
/// for try await diagnostic in session.diagnostics { print(diagnostic.isShown) }
/// ```
public final class BackgroundActivitySession: Sendable {
    /// The state of a session.
    public struct Diagnostic: Hashable, Sendable {
        /// True while an agent shows the indicator, and the program counts as in use.
        public var isShown = false
        /// True if the connection to the service is lost; the session begins again when it is back.
        public var serviceUnavailable = false
    }

    private let broadcast = Broadcast<Diagnostic>()
    private let task: Task<Void, Never>

    /// Begins a session.
    ///
    /// - Parameter socketPath: The path of the service's socket; see ``LocationManager/init(socketPath:)``.
    public init(socketPath: String? = nil) {
        let connector = ServiceConnector(socketPath: socketPath)
        task = broadcast.start { [broadcast] in
            var replies = ReconnectingReplies<AuthorizationInterface.BeginBackgroundActivity>(
                connector: connector, parameters: Nothing())
            while let element = try await replies.next() {
                switch element {
                case .reply(let reply): broadcast.send(Diagnostic(isShown: reply.isShown))
                case .connectionLost: broadcast.send(Diagnostic(serviceUnavailable: true))
                }
            }
        }
    }

    deinit { invalidate() }

    /// The state and its changes. The stream ends with the session, and throws ``LocationError/refused(message:)`` if the session
    /// is not allowed, and as ``LocationManager/authorizationUpdates()`` does.
    public var diagnostics: some AsyncSequence<Diagnostic, LocationError> & Sendable { broadcast.values }

    /// Ends the session.
    public func invalidate() {
        broadcast.finish()
        task.cancel()
    }
}
