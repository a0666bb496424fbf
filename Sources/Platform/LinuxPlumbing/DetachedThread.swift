import CLinux
import Glibc
package import Synchronization

/// A thread for a single task of any duration.
public enum DetachedThread {
    /// A failure to create a thread.
    public struct Failure: Error, CustomStringConvertible {
        /// The system's error message.
        public let description: String
    }

    /// Called with the name of each thread at its end, on that thread. For tests: the system reports no event for it.
    package static let endObserver = Mutex<(@Sendable (_ name: String) -> Void)?>(nil)

    /// The arguments of the new thread.
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            (self.name, self.body) = (name, body)
        }

        func run() {
            body()
            DetachedThread.endObserver.withLock { $0 }?(name)
        }
    }

    /// Starts a thread. `name`, of at most 15 bytes, appears in `top` and `/proc`.
    public static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(Failure) {
        let start = Unmanaged.passRetained(Start(name, body))
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { start in
                guard let start else { return nil }
                let taken = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
                _ = locationd_set_thread_name(taken.name)
                taken.run()
                return nil
            }, start.toOpaque())
        guard error == 0 else {
            start.release()
            throw Failure(description: String(cString: strerror(error)))
        }
        pthread_detach(thread)
    }
}
