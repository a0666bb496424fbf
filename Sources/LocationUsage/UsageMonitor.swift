public import LocationPolicy
public import Logging
public import NIOCore

/// What a `UsageMonitor` reports.
public enum UsageEvent: Hashable, Sendable {
    /// The process has come into use or gone out of it; for a process that was not watched before, which of the two it
    /// is.
    case changed(WatchedProcess, isInUse: Bool)
    /// The process has ended and is watched no longer.
    case exited(WatchedProcess)
}

/// Who watches whether processes are in use; see ``UsageMonitor``, which does it by real evidence.
public protocol UsageWatching: Sendable {
    /// Watches a process until `unwatch` was called as often as this.
    func watch(_ process: WatchedProcess)
    /// Takes back one call of `watch`.
    func unwatch(_ process: WatchedProcess)
    /// Whether a watched process is in use now. Costs next to nothing: reads no file.
    func isInUse(_ process: WatchedProcess) -> Bool
    /// Gathers the evidence of one watched process anew, now. What changed by that is reported later.
    func refresh(_ process: WatchedProcess)
    /// What is known of a watched process; `nil` if it is not watched, or nothing is known yet.
    func evidence(of process: WatchedProcess) -> UsageEvidence?
    /// Says that a watched process may be an application that the message bus started: see `ApplicationUnit`.
    func setMayBeActivated(_ process: WatchedProcess)
    /// Says whether the user is being shown that a watched process goes on in the background.
    func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool)
    /// Watches nothing any more.
    func shutdown()
}

/// Watches processes on behalf of clients that may know only while in use. See `UsageEvidence` for the rule.
///
/// While it watches nothing it costs nothing: no thread, no timer, no descriptor. While it does, it is woken by logind,
/// by the bus and by the end of processes; only to see who is in the foreground of a terminal it looks once a second,
/// as long as a watched process has one, because the kernel tells nobody.
///
/// A change costs what it concerns: the state of a session is read once, is true at once for all processes there, and
/// they are told of it in slices of a millisecond or two. Which session a process is in is read when it comes to be
/// watched and on `refresh`, that is when it asks for something.
///
/// Whoever uses it must be able to see all processes in `/proc` (no `hidepid`, no `ProtectProc=`), logind's files in
/// `/run/systemd` and the system bus. Where there is no logind nothing is in use.
///
/// Except for the initializer everything is to be called on the event loop, where it reads a few small files of `/proc`
/// and `/run` but waits for nobody.
public final class UsageMonitor: UsageWatching {
    private let watch: NIOLoopBoundBox<UsageWatch>

    /// A monitor that watches nothing yet and will call `handler` on `eventLoop`, never from within another call.
    ///
    /// - Parameter handler: is given all that one look has found, in order. What it does about one event may end the
    ///   watch of a process that a later one is about.
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

    /// Watches a process until `unwatch` was called as often as this.
    ///
    /// Each process that is newly watched is reported once as soon as it is known whether it is in use; until then, or
    /// until `refresh` finds it out, it is not.
    public func watch(_ process: WatchedProcess) { watch.value.watch(process) }

    /// Takes back one call of `watch`; a process that is not watched, because it has ended, is none of its business.
    public func unwatch(_ process: WatchedProcess) { watch.value.unwatch(process) }

    /// Whether a watched process is in use now, by the state its session has now and the evidence gathered last.
    public func isInUse(_ process: WatchedProcess) -> Bool { watch.value.isInUse(process) }

    /// Gathers the evidence of one watched process now: which session it is in, and how it stands to its terminal.
    public func refresh(_ process: WatchedProcess) { watch.value.refresh(process) }

    /// What is known of a watched process, for explanations; `nil` if it is not watched, or nothing is known yet.
    public func evidence(of process: WatchedProcess) -> UsageEvidence? { watch.value.evidence(of: process) }

    /// Says that a watched process may be an application that the message bus started, until it is watched no more.
    public func setMayBeActivated(_ process: WatchedProcess) { watch.value.setMayBeActivated(process) }

    /// Says whether the user is being shown that a watched process goes on in the background. That counts as use.
    public func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool) {
        watch.value.setBackgroundActivity(process, isShown: isShown)
    }

    /// Watches nothing any more. To be called before the event loop ends and before the monitor is let go.
    public func shutdown() { watch.value.stop() }
}
