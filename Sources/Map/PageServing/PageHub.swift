package import Logging
package import NIOCore
import Pacing

/// The pages of a server, with the events waiting for each.
///
/// An event is encoded once for all pages. A page that reads too slowly loses its waiting events and receives the whole
/// state at its next read, so that no page costs more than a bounded buffer or delays another.
@MainActor
package final class PageHub {
    /// The greatest number of pages.
    package static let maximumPages = 16

    package private(set) var pages: [String: Page] = [:] { didSet { onPagesChange?() } }
    /// Called when a page connects or disconnects.
    package var onPagesChange: (() -> Void)?
    package private(set) var revision = 0
    package let logger: Logger
    /// The servers that have stopped.
    private var ended: Set<ObjectIdentifier> = []

    package init(logger: Logger) { self.logger = logger }

    package var isEmpty: Bool { pages.isEmpty }

    /// Connects a page; `nil` if there are too many of all or of the browser, or the server has ended. `state` makes
    /// the first event when the page reads it.
    package func connect(
        over server: ObjectIdentifier, by session: BrowserSession,
        state: @escaping @MainActor (Page) throws -> ByteBuffer
    ) -> Page? {
        guard !ended.contains(server), pages.count < Self.maximumPages,
            pages.values.count(where: { $0.session === session }) < BrowserSession.maximumPages
        else { return nil }
        let page = Page(server: server, session: session, state: state)
        pages[page.id] = page
        return page
    }

    /// Removes a closed page.
    package func disconnect(_ page: Page) {
        page.end()
        pages[page.id] = nil
    }

    /// Sends an event to all pages.
    package func broadcast(_ name: WireEvent.Name, _ value: some Encodable) {
        revision += 1
        guard !pages.isEmpty else { return }
        do {
            let event = try WireEvent.encode(name, value, revision: revision)
            for page in pages.values { page.send(event) }
        } catch {
            // The encoding fails for a number that is not finite, and for no other value.
            logger.error("Could not tell the pages of a change (\(name.rawValue)): \(error)")
        }
    }

    /// Sends a heartbeat, from which the pages know that the program responds.
    package func sendHeartbeat() {
        for page in pages.values { page.send(WireEvent.heartbeat) }
    }

    /// Ends the pages of a server, after an event with the reason.
    package func end(_ server: ObjectIdentifier) {
        guard ended.insert(server).inserted else { return }
        do {
            let event = try WireEvent.encode(.end, [String: String](), revision: revision)
            for page in pages.values where page.server == server {
                page.send(event)
                page.end()
            }
        } catch {
            logger.error("Could not tell the pages of the end: \(error)")
        }
    }
}

/// A connected page.
@MainActor
package final class Page {
    /// The greatest backlog of a page, in bytes. Beyond it the page receives the whole state instead.
    package static let maximumWaiting = 1 << 20

    package let id = Secret().text
    /// The server of its connection.
    package let server: ObjectIdentifier
    /// The session of its browser.
    package let session: BrowserSession
    /// A stream with an element for each ``take()`` that is due. Ends with the page or when the task is cancelled.
    package nonisolated let wakeUps: AsyncStream<Void>
    private let state: @MainActor (Page) throws -> ByteBuffer
    /// Makes an event of what this page alone is sent when it reads; `nil` if there is nothing. See ``announceSupplement()``.
    package var supplement: (@MainActor (Page) -> ByteBuffer?)?
    private var isSupplementDue = false
    private var waiting = WireEvent.start
    private var needsState = true
    private var postLimit = RateLimit(rate: 60, burst: 120)
    private let wakeUp: AsyncStream<Void>.Continuation

    fileprivate init(
        server: ObjectIdentifier, session: BrowserSession, state: @escaping @MainActor (Page) throws -> ByteBuffer
    ) {
        self.server = server
        self.session = session
        self.state = state
        (wakeUps, wakeUp) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        wakeUp.yield()
    }

    /// Removes and returns the waiting events.
    package func take() throws -> ByteBuffer? {
        if needsState {
            var buffer = waiting
            waiting = ByteBuffer()
            buffer.writeImmutableBuffer(try state(self))
            // The state is made now, so that it contains all changes up to now.
            needsState = false
            return buffer
        }
        var buffer = waiting
        waiting = ByteBuffer()
        if isSupplementDue {
            isSupplementDue = false
            if let event = supplement?(self) { buffer.writeImmutableBuffer(event) }
        }
        return buffer.readableBytes > 0 ? buffer : nil
    }

    /// Has the page read its ``supplement``. A page that is still reading gets one for all that was announced meanwhile.
    package func announceSupplement() {
        isSupplementDue = true
        wakeUp.yield()
    }

    /// True if the page may post now.
    package func mayPost(at now: NIODeadline) -> Bool { postLimit.allows(at: now) }

    fileprivate func send(_ event: ByteBuffer) {
        // The pending state will contain this change.
        guard !needsState else { return }
        if waiting.readableBytes + event.readableBytes > Self.maximumWaiting {
            waiting = ByteBuffer()
            needsState = true
        } else {
            waiting.writeImmutableBuffer(event)
        }
        wakeUp.yield()
    }

    fileprivate func end() {
        wakeUp.finish()
    }
}
