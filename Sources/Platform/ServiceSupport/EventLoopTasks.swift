import NIOCore
import NIOPosix

/// All tasks of the program on one event loop: Swift's usual pool of threads wakes itself once a second, for as long as the
/// program lives, and each step from thread to thread costs a wake-up.
package enum EventLoopTasks {
    /// From here on tasks run there. To be called before the first one starts.
    package static func install() { EventLoopExecutors.install() }
}

#if compiler(>=6.3) && compiler(<6.4)
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

    /// Creates the executor of all tasks. It relies on an interface of Swift that is not stable yet, so it has to be checked with
    /// each new compiler.
    private struct EventLoopExecutors: ExecutorFactory {
        static let mainExecutor = PlatformExecutorFactory.mainExecutor
        static let defaultExecutor: any TaskExecutor = EventLoopExecutor(loop: singleEventLoop())

        static func install() { _createExecutors(factory: Self.self) }
    }

    /// One of NIO's event loops as the place where tasks run.
    private final class EventLoopExecutor: TaskExecutor, SchedulingExecutor {
        private let loop: any EventLoop

        init(loop: any EventLoop) { self.loop = loop }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            loop.execute { self.run(job) }
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
        ) {
            guard let delay = clock.now.duration(to: instant) as? Duration else {
                preconditionFailure("Nothing here sleeps by a clock whose time is not measured in seconds.")
            }
            let job = UnownedJob(job)
            loop.scheduleTask(in: TimeAmount(delay)) { self.run(job) }
        }

        private func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
#else
    /// Makes NIO's threads the executor, where the runtime has a place to say so.
    private enum EventLoopExecutors {
        static func install() {
            _ = singleEventLoop()
            NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
        }
    }
#endif

private func singleEventLoop() -> any EventLoop {
    NIOSingletons.groupLoopCountSuggestion = 1
    return MultiThreadedEventLoopGroup.singleton.next()
}
