public import LinuxPlumbing
public import LocationPolicy
public import Logging
public import NIOCore

/// A report of a `UsageMonitor`.
public enum UsageEvent: Hashable, Sendable {
    /// The process has come into use or gone out of use; the first event of a process reports its state.
    case changed(WatchedProcess, isInUse: Bool)
    /// The process has ended and is no longer watched.
    case exited(WatchedProcess)
}

/// Watches whether processes are in use. ``UsageMonitor`` implements it with real evidence.
public protocol UsageWatching: Sendable {
    /// Watches a process until `unwatch` has been called as often as this.
    func watch(_ process: WatchedProcess)
    /// Reverts one call of `watch`.
    func unwatch(_ process: WatchedProcess)
    /// True if a watched process is in use now. Cheap: reads no file.
    func isInUse(_ process: WatchedProcess) -> Bool
    /// Gathers the evidence of a watched process now. Changes are reported later.
    func refresh(_ process: WatchedProcess)
    /// The evidence about a watched process; `nil` if the process is not watched or nothing is known yet.
    func evidence(of process: WatchedProcess) -> UsageEvidence?
    /// Records that the message bus may have started a watched process as an application: see `ApplicationUnit`.
    func setMayBeActivated(_ process: WatchedProcess)
    /// Sets whether the user is being shown that a watched process uses the location in the background.
    func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool)
    /// Stops watching everything.
    func shutdown()
}

/// Watches the use of processes for clients that may have the location only while in use. `UsageEvidence` has the
/// rules.
///
/// Without watched processes it costs nothing: no thread, no timer, no descriptor. Otherwise logind, the bus and the
/// end of processes wake it. Only the foreground of terminals is polled once a second, while a watched process has a
/// terminal, because the kernel does not report it.
///
/// The cost of a change is limited to its extent: the state of a session is read once and takes effect at once for all
/// processes there, which are reported in slices of a millisecond or two. The session of a process is read when it
/// begins to be watched and on `refresh`, that is when it makes a request.
///
/// The caller needs access to all processes in `/proc` (no `hidepid`, no `ProtectProc=`), logind's files in
/// `/run/systemd` and the system bus. Without logind nothing is in use.
///
/// All calls except the initializer have to be made on the event loop. They read a few small files of `/proc` and
/// `/run` but never block.
public final class UsageMonitor: UsageWatching {
    private let watch: NIOLoopBoundBox<UsageWatch>

    /// A monitor without watched processes. It calls `handler` on `eventLoop`, but never from within another call.
    ///
    /// - Parameter handler: receives all events of one review, in order. Its handling of one event may stop the watch
    ///   of a process in a later one.
    public convenience init(
        eventLoop: any EventLoop, logger: Logger, handler: @escaping @Sendable ([UsageEvent]) -> Void
    ) {
        self.init(
            UsageWatch(
                eventLoop: eventLoop, logger: logger, login: Logind(eventLoop: eventLoop, logger: logger),
                now: { .now }, handler: handler),
            eventLoop: eventLoop)
    }

    init(_ watch: sending UsageWatch, eventLoop: any EventLoop) {
        self.watch = .makeBoxSendingValue(watch, eventLoop: eventLoop)
    }

    /// Watches a process until `unwatch` has been called as often as this.
    ///
    /// A newly watched process is reported once its state is known. Until then, or until `refresh`, it is not in use.
    public func watch(_ process: WatchedProcess) { watch.value.watch(process) }

    /// Reverts one call of `watch`. Does nothing for a process that has ended.
    public func unwatch(_ process: WatchedProcess) { watch.value.unwatch(process) }

    /// True if a watched process is in use now, by the current state of its session and the evidence gathered last.
    public func isInUse(_ process: WatchedProcess) -> Bool { watch.value.isInUse(process) }

    /// Gathers the evidence of a watched process now: its session and its terminal's foreground.
    public func refresh(_ process: WatchedProcess) { watch.value.refresh(process) }

    /// The evidence about a watched process, for explanations; `nil` if the process is not watched or nothing is known
    /// yet.
    public func evidence(of process: WatchedProcess) -> UsageEvidence? { watch.value.evidence(of: process) }

    /// Records that the message bus may have started a watched process as an application. Holds until it is no longer
    /// watched.
    public func setMayBeActivated(_ process: WatchedProcess) { watch.value.setMayBeActivated(process) }

    /// Sets whether the user is being shown that a watched process uses the location in the background. That counts as
    /// use.
    public func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool) {
        watch.value.setBackgroundActivity(process, isShown: isShown)
    }

    /// Stops watching everything. Call it before the event loop ends and before releasing the monitor.
    public func shutdown() { watch.value.stop() }
}
