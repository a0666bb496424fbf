package import LinuxPlumbing
package import LocationPolicy
package import LocationUsage
package import NIOCore

/// Says whether processes are in use as the test says. The real evidence has tests of its own.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop, and the rest set before it is used.
package final class ScriptedUsage: UsageWatching, @unchecked Sendable {
    package var tell: (@Sendable ([UsageEvent]) -> Void)?
    package var eventLoop: (any EventLoop)?
    private var watched: [WatchedProcess: Int] = [:]
    private var isInUse = true
    private var isActivityShown = false
    private var given: UsageEvidence?

    package func watch(_ process: WatchedProcess) {
        watched[process, default: 0] += 1
        // Never from within the call, as the real one.
        eventLoop?.execute { self.tell?([.changed(process, isInUse: self.isInUse(process))]) }
    }

    package func unwatch(_ process: WatchedProcess) {
        watched[process] = watched[process].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    package func isInUse(_ process: WatchedProcess) -> Bool { watched[process] != nil && (isInUse || isActivityShown) }

    package func refresh(_ process: WatchedProcess) {}

    package func setMayBeActivated(_ process: WatchedProcess) {}

    package func evidence(of process: WatchedProcess) -> UsageEvidence? {
        watched[process].map { _ in
            given
                ?? UsageEvidence(
                    place: .session(LoginSession(isActive: true, isLocked: !isInUse)),
                    isBackgroundActivityShown: isActivityShown)
        }
    }

    package func setBackgroundActivity(_ process: WatchedProcess, isShown: Bool) {
        isActivityShown = isShown
        // Never from within the call, as the real one.
        eventLoop?.execute { self.report() }
    }

    package func set(_ isInUse: Bool) {
        self.isInUse = isInUse
        report()
    }

    package func set(_ evidence: UsageEvidence) {
        given = evidence
        set(evidence.isInUse)
    }

    private func report() { tell?(watched.keys.map { .changed($0, isInUse: isInUse($0)) }) }

    package func shutdown() {}
}
