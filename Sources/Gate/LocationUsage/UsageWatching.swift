package import LinuxPlumbing
package import LocationPolicy

/// A report of a `UsageMonitor`.
package enum UsageEvent: Hashable, Sendable {
    /// The process has come into use or gone out of use; the first event of a process reports its state.
    case changed(WatchedProcess, isInUse: Bool)
    /// The process has ended and is no longer watched.
    case exited(WatchedProcess)
}

/// Watches whether processes are in use. ``UsageMonitor`` implements it with real evidence.
package protocol UsageWatching: Sendable {
    /// Watches a process until `unwatch` has been called as often as this.
    ///
    /// A newly watched process is reported once its state is known. Until then, or until `refresh`, it is not in use.
    func watch(_ process: WatchedProcess)
    /// Reverts one call of `watch`. Does nothing for a process that has ended.
    func unwatch(_ process: WatchedProcess)
    /// True if a watched process is in use now, by the current state of its session and the evidence gathered last.
    /// Cheap: reads no file.
    func isInUse(_ process: WatchedProcess) -> Bool
    /// Gathers the evidence of a watched process now: its session and its terminal's foreground. Changes are reported later.
    func refresh(_ process: WatchedProcess)
    /// The evidence about a watched process; `nil` if the process is not watched or nothing is known yet.
    func evidence(of process: WatchedProcess) -> UsageEvidence?
    /// Records that the message bus may have started a watched process as an application: see `ApplicationUnit`. Holds until
    /// it is no longer watched.
    func setMayBeActivated(_ process: WatchedProcess)
    /// Sets whether the user is being shown that a watched process uses the location in the background. That counts as use.
    func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool)
    /// Stops watching everything. Call it before the event loop ends and before releasing the monitor.
    func shutdown()
}
