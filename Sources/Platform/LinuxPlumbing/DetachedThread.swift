import CLinux
import Glibc

/// A thread for a single task of any duration.
public enum DetachedThread {
    /// A failure to create a thread.
    public struct Failure: Error, CustomStringConvertible {
        /// The system's error message.
        public let description: String
    }

    /// The arguments of the new thread.
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            (self.name, self.body) = (name, body)
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
                taken.body()
                return nil
            }, start.toOpaque())
        guard error == 0 else {
            start.release()
            throw Failure(description: String(cString: strerror(error)))
        }
        pthread_detach(thread)
    }
}
