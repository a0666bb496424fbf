import CLinux
import Glibc
package import NIOCore

/// Polls descriptors that NIO cannot adopt (pidfds, inotify, a bus connection) in a thread of its own, and calls their
/// handlers on the event loop.
///
/// The thread only polls: everything else, including this object, is confined to the loop. A descriptor that became
/// ready is disarmed until `resume`, so that the thread does not spin while the loop is busy.
package final class DescriptorPoller {
    /// A polled descriptor.
    package struct Watch {
        fileprivate let descriptor: Int32
        fileprivate let token: UInt64
    }

    /// The token of the descriptor that stops the thread.
    private static let stopToken: UInt64 = 0

    private let epoll: Int32
    private let stopEvent: Int32
    private var handlers: [UInt64: () -> Void] = [:]
    private var lastToken = stopToken

    /// Starts the thread with this name. Call it on `eventLoop`, which also calls the handlers.
    package init(eventLoop: any EventLoop, name: String) throws {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        stopEvent = eventfd(0, Int32(EFD_CLOEXEC))
        do {
            guard epoll >= 0, stopEvent >= 0 else { throw SystemdError("waiting for descriptors", -errno) }
            set(EPOLL_CTL_ADD, stopEvent, events: EPOLLIN.rawValue, token: Self.stopToken)
            let poller = NIOLoopBound(self, eventLoop: eventLoop)
            let thread = PollingThread(epoll: epoll, stopToken: Self.stopToken, closing: [epoll, stopEvent]) { tokens in
                eventLoop.execute { tokens.forEach { poller.value.handlers[$0]?() } }
            }
            try DetachedThread.start(name: name) { thread.run() }
        } catch {
            close(epoll)
            close(stopEvent)
            throw error
        }
    }

    /// Calls `handler` once `descriptor` is ready for `events` (of poll(2)).
    package func add(_ descriptor: Int32, events: Int32 = POLLIN, handler: @escaping () -> Void) -> Watch {
        lastToken += 1
        handlers[lastToken] = handler
        set(EPOLL_CTL_ADD, descriptor, events: UInt32(events) | EPOLLONESHOT.rawValue, token: lastToken)
        return Watch(descriptor: descriptor, token: lastToken)
    }

    /// Arms the descriptor again after a call of its handler, or for other events.
    package func resume(_ watch: Watch, events: Int32 = POLLIN) {
        set(EPOLL_CTL_MOD, watch.descriptor, events: UInt32(events) | EPOLLONESHOT.rawValue, token: watch.token)
    }

    /// Stops polling. Call it before closing the descriptor; the handler is not called afterwards.
    package func remove(_ watch: Watch) {
        set(EPOLL_CTL_DEL, watch.descriptor, events: 0, token: watch.token)
        // The handler may hold the last reference to the descriptor's owner.
        handlers[watch.token] = nil
    }

    /// Stops the thread. The poller cannot be used afterwards.
    package func stop() {
        handlers = [:]
        eventfd_write(stopEvent, 1)
    }

    private func set(_ operation: Int32, _ descriptor: Int32, events: UInt32, token: UInt64) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: token))
        let result = epoll_ctl(epoll, operation, descriptor, &event)
        assert(result == 0, "epoll_ctl: \(String(cString: strerror(errno)))")
    }
}

/// The loop of the polling thread.
private struct PollingThread {
    let epoll: Int32
    let stopToken: UInt64
    let closing: [Int32]
    let deliver: @Sendable ([UInt64]) -> Void

    /// Forwards the tokens of ready descriptors until `stopToken` is among them, and then closes `closing`.
    func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            let count = epoll_wait(epoll, &events, Int32(events.count), -1)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { break }
            let tokens = events[..<Int(count)].map(\.data.u64)
            guard !tokens.contains(stopToken) else { break }
            deliver(tokens)
        }
        closing.forEach { close($0) }
    }
}
