import CSystemd
import Glibc

/// A thread that does one thing, which may take any time, and ends.
public enum DetachedThread {
    /// Why there is no thread.
    public struct Failure: Error, CustomStringConvertible {
        /// What the system says.
        public let description: String
    }

    /// What the new thread is given.
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            (self.name, self.body) = (name, body)
        }
    }

    /// Starts a thread that `top` and `/proc` show as `name`, of at most 15 bytes.
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
