import Logging
import NIOCore
import Pacing

/// The pages that show a map, and what is on its way to each.
///
/// An event is encoded once and goes to all of them. A page that takes its events too slowly loses them all and is sent
/// the whole state when it reads again, so that none costs more than a bounded buffer or delays another.
@MainActor
final class PageHub {
    /// More pages than this are refused.
    static let maximumPages = 16

    private(set) var pages: [String: Page] = [:] { didSet { onPagesChange?() } }
    /// Called when a page comes or goes.
    var onPagesChange: (() -> Void)?
    private(set) var revision = 0
    let logger: Logger
    /// The servers that have ended.
    private var ended: Set<ObjectIdentifier> = []

    init(logger: Logger) { self.logger = logger }

    var isEmpty: Bool { pages.isEmpty }

    /// A new page; `nil` when there are too many, of all or of its browser, or the map has ended. What it has to be sent first is made by `state` when it
    /// is read.
    func connect(
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

    /// The page has gone.
    func disconnect(_ page: Page) {
        page.end()
        pages[page.id] = nil
    }

    /// Sends an event to all pages.
    func broadcast(_ name: WireEvent.Name, _ value: some Encodable) {
        revision += 1
        guard !pages.isEmpty else { return }
        do {
            let event = try WireEvent.encode(name, value, revision: revision)
            for page in pages.values { page.send(event) }
        } catch {
            // No number or text of a map fails to be encoded but one that is not finite.
            logger.error("Could not tell the map's pages of a change (\(name.rawValue)): \(error)")
        }
    }

    /// Shows each page that its connection still is one.
    func sendHeartbeat() {
        for page in pages.values { page.send(WireEvent.heartbeat) }
    }

    /// Ends the pages of a server, after they have been told why.
    func end(_ server: ObjectIdentifier) {
        guard ended.insert(server).inserted else { return }
        do {
            let event = try WireEvent.encode(.end, [String: String](), revision: revision)
            for page in pages.values where page.server == server {
                page.send(event)
                page.end()
            }
        } catch {
            logger.error("Could not tell the map's pages of its end: \(error)")
        }
    }
}

/// A page that is connected.
@MainActor
final class Page {
    /// The largest backlog of a page. Beyond it the page is sent the whole state instead.
    static let maximumWaiting = 1 << 20

    let id = Secret().text
    /// Over which it is connected.
    let server: ObjectIdentifier
    /// The browser that it is in.
    let session: BrowserSession
    /// An element each time that there is something to ``take()``; ends with the page, or when the task is cancelled.
    nonisolated let wakeUps: AsyncStream<Void>
    private let state: @MainActor (Page) throws -> ByteBuffer
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

    /// Events that wait to be sent.
    func take() throws -> ByteBuffer? {
        if needsState {
            var buffer = waiting
            waiting = ByteBuffer()
            buffer.writeImmutableBuffer(try state(self))
            // Only now: what is told to the others meanwhile is in it.
            needsState = false
            return buffer
        }
        guard waiting.readableBytes > 0 else { return nil }
        defer { waiting = ByteBuffer() }
        return waiting
    }

    /// True if the page may post now.
    func mayPost(at now: NIODeadline) -> Bool { postLimit.allows(at: now) }

    fileprivate func send(_ event: ByteBuffer) {
        // Changes before the state is made are in it.
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
