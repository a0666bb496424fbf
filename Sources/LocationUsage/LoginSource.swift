import LocationPolicy

/// Tells in which login session a process is, and what state that is in. `Logind` is the real one.
protocol LoginSource: AnyObject {
    /// Begins to watch the sessions: calls `onChange` whenever the state of places may have become another.
    func start(poller: DescriptorPoller, onChange: @escaping (LoginChange) -> Void)

    /// Where the process that has this id belongs now. Reads `/proc`.
    ///
    /// - Parameter mayBeActivated: whether it may be an application that the message bus started.
    func place(of processID: Int32, mayBeActivated: Bool) -> LoginPlace

    /// The state of a place; `nil` while that is being found out, with `onChange` to follow. Reads files only after
    /// a change.
    func state(of place: LoginPlace) -> UsageEvidence.Place?

    /// Watches no longer. May be started again.
    func stop()
}

/// What may have changed.
enum LoginChange: Equatable {
    /// This session, and what is shown in it.
    case session(String)
    case everything
}
