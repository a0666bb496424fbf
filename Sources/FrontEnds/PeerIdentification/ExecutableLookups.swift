import LinuxPlumbing
import NIOCore
import Pacing

/// Looks up executables on file systems that may not answer, on threads that may block forever.
///
/// Each look-up blocks a thread and cannot be cancelled. So there is at most one for each user and for each path, eight
/// altogether, and each fails after two seconds: a user with a hanging file system delays nobody else. Look-ups are
/// rare, because the kernel has the paths of local programs in memory.
///
/// `@unchecked Sendable` because it is confined to its event loop.
package final class ExecutableLookups: @unchecked Sendable {
    /// A look-up timed out.
    struct Timeout: Error, CustomStringConvertible {
        let path: String
        var description: String {
            "the file system of its executable \(path) did not answer within \(seconds) s"
        }
        private var seconds: Int64 { timeLimit.nanoseconds / 1_000_000_000 }
    }

    package typealias Executable = ProcessEvidence.Executable
    package typealias LookUp = @Sendable (_ processID: Int32, _ path: String) -> Executable

    private static let timeLimit = TimeAmount.seconds(2)
    private static let mostThreads = 8

    private struct Request {
        let id: UInt64
        let user: UInt32
        let processID: Int32
        let path: String
        let promise: EventLoopPromise<Executable>
        let deadline: LoopTimer
    }

    private let eventLoop: any EventLoop
    private let lookUp: LookUp
    /// In the order of their deadlines.
    private var waiting = CircularBuffer<Request>()
    private var running: [UInt64: Request] = [:]
    private var lastID: UInt64 = 0

    init(eventLoop: any EventLoop, lookUp: @escaping LookUp = ProcessEvidence.lookUpExecutable) {
        self.eventLoop = eventLoop
        self.lookUp = lookUp
    }

    /// Looks up the program of a process at the path in its link.
    func executable(of processID: Int32, of user: UInt32, at path: String) -> EventLoopFuture<Executable> {
        lastID += 1
        let id = lastID
        let promise = eventLoop.makePromise(of: Executable.self)
        let deadline = eventLoop.makeTimer(in: Self.timeLimit) { [weak self] in
            promise.fail(Timeout(path: path))
            guard let index = self?.waiting.firstIndex(where: { $0.id == id }) else { return }
            self?.waiting.remove(at: index)
        }
        waiting.append(
            Request(id: id, user: user, processID: processID, path: path, promise: promise, deadline: deadline))
        startNext()
        return promise.futureResult
    }

    private func startNext() {
        while running.count < Self.mostThreads, let index = waiting.firstIndex(where: isFree) {
            let request = waiting.remove(at: index)
            running[request.id] = request
            let (lookUp, eventLoop) = (lookUp, eventLoop)
            do {
                try DetachedThread.start(name: "lookup") { [self] in
                    let executable = lookUp(request.processID, request.path)
                    eventLoop.execute { self.finished(request.id, .success(executable)) }
                }
            } catch {
                finished(request.id, .failure(error))
            }
        }
    }

    private func isFree(_ request: Request) -> Bool {
        !running.values.contains { $0.user == request.user || $0.path == request.path }
    }

    private func finished(_ id: UInt64, _ result: Result<Executable, DetachedThread.Failure>) {
        guard let request = running.removeValue(forKey: id) else { return }
        request.deadline.cancel()
        // Does nothing after the timeout.
        request.promise.completeWith(result.mapError { $0 })
        startNext()
    }
}
