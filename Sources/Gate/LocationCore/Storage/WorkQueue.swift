import NIOCore

/// Asynchronous work of which one piece is performed after the other.
///
/// Confined to the event loop.
final class WorkQueue {
    /// Performs a piece of work, and calls the function it is given at the end.
    typealias Work = (_ end: @escaping () -> Void) -> Void

    private var waiting = CircularBuffer<Work>()
    private var isWorking = false

    /// Performs work now, or after what was added before.
    func perform(_ work: @escaping Work) {
        waiting.append(work)
        performNext()
    }

    private func performNext() {
        guard !isWorking, let work = waiting.popFirst() else { return }
        isWorking = true
        work { [self] in
            isWorking = false
            performNext()
        }
    }
}
