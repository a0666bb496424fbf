import CommandLineSupport
@preconcurrency import Dispatch
import Glibc
import Synchronization

/// Handles a terminating signal while a region is being made: ends the child process, removes the draft, and lets the
/// signal take its default effect.
final class Interruption: Sendable {
    private struct State {
        var child: pid_t?
        var draft: RegionDraft?
        var isPending = false
    }

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private let state = Mutex(State())
    private let source: any DispatchSourceRead

    /// Begins to handle signals.
    init() {
        SignalPipe.redirect(Self.signals)
        source = DispatchSource.makeReadSource(fileDescriptor: SignalPipe.descriptor, queue: .global())
        source.setEventHandler { @Sendable [weak self] in
            var byte: UInt8 = 0
            guard read(SignalPipe.descriptor, &byte, 1) == 1 else { return }
            self?.interrupt(Int32(byte))
        }
        source.resume()
    }

    /// Restores the default effect of signals.
    func stop() {
        source.cancel()
        SignalPipe.restore(Self.signals)
    }

    /// Sets the draft to remove; `nil` for none.
    func watch(_ draft: RegionDraft?) { state.withLock { $0.draft = draft } }

    /// Starts a child process, unless a signal is pending.
    func starting<Failure>(_ spawn: () throws(Failure) -> pid_t) throws(Failure) -> pid_t {
        waitIfPending()
        return try state.withLock { state throws(Failure) in
            let child = try spawn()
            state.child = child
            return child
        }
    }

    /// Notes the end of the child process, whose number may soon be another's.
    func ended() { state.withLock { $0.child = nil } }

    /// Does not return if a signal is pending.
    func waitIfPending() {
        while state.withLock({ $0.isPending }) { pause() }
    }

    private func interrupt(_ signal: Int32) {
        let draft = state.withLock { state in
            state.isPending = true
            if let child = state.child { kill(child, SIGKILL) }
            return state.draft
        }
        Progress.clearLine()
        do {
            try draft?.discard()
            Terminal.complain("Interrupted: nothing was installed, and no unfinished files are left.")
        } catch {
            Terminal.complain("Interrupted. \(error)")
        }
        SignalPipe.obey(signal)
    }
}
