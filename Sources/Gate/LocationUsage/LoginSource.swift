import LinuxPlumbing
import LocationPolicy

/// The source of the login sessions of processes and of their states. `Logind` is the real one.
protocol LoginSource: AnyObject {
    /// Starts monitoring: calls `onChange` whenever the state of places may have changed.
    func start(poller: DescriptorPoller, onChange: @escaping (LoginChange) -> Void)

    /// The place of the process that has this id now. Reads `/proc`.
    ///
    /// - Parameter mayBeActivated: true if the message bus may have started it as an application.
    func place(of processID: Int32, mayBeActivated: Bool) -> LoginPlace

    /// The state of a place; `nil` while it is being determined, after which `onChange` is called. Reads files only
    /// after a change.
    func state(of place: LoginPlace) -> UsageEvidence.Place?

    /// Stops monitoring. It can be started again.
    func stop()
}

/// The extent of a possible change.
enum LoginChange: Equatable {
    /// The state of this session and of the applications shown in it.
    case session(String)
    case everything
}
