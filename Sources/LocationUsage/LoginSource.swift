import LocationPolicy

/// Tells in which login session a process is, and what state that is in. `Logind` is the real one.
protocol LoginSource: AnyObject {
    /// Begins to watch the sessions: calls `onChange` whenever an answer may have become another.
    func start(poller: DescriptorPoller, onChange: @escaping () -> Void)

    /// Where the process that has this id belongs; `nil` while that is being found out, with `onChange` to follow.
    func place(of processID: Int32) -> UsageEvidence.Place?

    /// Watches no longer. May be started again.
    func stop()
}
