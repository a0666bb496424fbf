import Glibc
package import HTTPTransfer
import LinuxPlumbing
package import LocationSharing
import MQTTPublishing
import Synchronization

/// The way to a broker: a session in a thread of its own, because names are resolved there and acknowledgements waited for.
package final class BrokerLink: DestinationLink {
    private let worker: BrokerWorker

    /// A link to a broker with the text of its address and key. It connects with the first message.
    package init(_ destination: Destination, _ text: String) throws(InvalidServiceURL) {
        // Checks the text; the thread makes its own.
        _ = try BrokerSession(destination, text)
        worker = BrokerWorker(destination, text)
    }

    deinit { worker.close() }

    package func send(
        _ message: ShareMessage, _ terms: MessageTerms, _ cancellation: HTTPTransfer.Cancellation,
        completion: @escaping @Sendable (ShareMachine.Outcome?) -> Void
    ) {
        worker.add(.init(message: message, terms: terms, cancellation: cancellation, completion: completion))
    }

    package func close() { worker.close() }
}

/// The thread of a broker's session, and its work.
private final class BrokerWorker: Sendable {
    struct Job: Sendable {
        var message: ShareMessage
        var terms: MessageTerms
        var cancellation: HTTPTransfer.Cancellation
        var completion: @Sendable (ShareMachine.Outcome?) -> Void
    }

    private struct State {
        var jobs: [Job] = []
        var isClosed = false
        var hasThread = false
        /// The pair of sockets that wakes the thread; -1 without one.
        var (reading, writing): (CInt, CInt) = (-1, -1)
    }

    private let destination: Destination
    private let text: String
    private let state = Mutex(State())

    init(_ destination: Destination, _ text: String) { (self.destination, self.text) = (destination, text) }

    /// Has the thread do a job after the others.
    func add(_ job: Job) {
        let problem: String? = state.withLock { state in
            guard !state.isClosed else { return "The connection is closed" }
            if let problem = start(&state) { return problem }
            state.jobs.append(job)
            wake(state)
            return nil
        }
        if let problem { job.completion(.failed("\(problem).")) }
    }

    /// Ends the thread after the message that is being sent.
    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            wake(state)
        }
    }

    /// Starts the thread if it does not run. Returns the reason why that is not possible.
    private func start(_ state: inout State) -> String? {
        guard !state.hasThread else { return nil }
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return String(cString: strerror(errno)) }
        let (reading, writing) = (ends[0], ends[1])
        do throws(DetachedThread.Failure) {
            // It ends with the link, by `close`.
            try DetachedThread.start(name: "broker") { self.run(reading) }
        } catch {
            Glibc.close(reading)
            Glibc.close(writing)
            return error.description
        }
        (state.reading, state.writing, state.hasThread) = (reading, writing, true)
        return nil
    }

    private func wake(_ state: State) {
        var byte: UInt8 = 0
        // A full one wakes as well.
        if state.writing >= 0 { _ = write(state.writing, &byte, 1) }
    }

    private func run(_ reading: CInt) {
        guard let session = try? BrokerSession(destination, text) else { return }
        var buffer = [UInt8](repeating: 0, count: 64)
        while true {
            let (job, isClosed) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isClosed)
            }
            if let job {
                job.completion(
                    isClosed || job.cancellation.isCancelled
                        ? .cancelled : session.send(job.message, job.terms, job.cancellation))
                continue
            }
            if isClosed { break }
            var events = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
            if let descriptor = session.descriptor {
                events.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
            }
            let interval = CInt(MQTTConnection.upkeepInterval / .milliseconds(1))
            _ = poll(&events, nfds_t(events.count), events.count > 1 ? interval : -1)
            while read(reading, &buffer, buffer.count) > 0 { continue }
            session.keepUp()
        }
        session.close()
        state.withLock { state in
            Glibc.close(state.reading)
            Glibc.close(state.writing)
            (state.reading, state.writing) = (-1, -1)
        }
    }
}
