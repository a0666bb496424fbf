import NIOCore
import PageServing

/// The changes not yet sent to a map's pages, collected until the main actor is free; and the callers that wait until a
/// page has drawn everything.
@MainActor
final class PageUpdates {
    /// The parts of the state, each of which is sent whole after a change.
    struct Parts: OptionSet {
        var rawValue: Int
        static let map = Parts(rawValue: 1)
        static let controls = Parts(rawValue: 2)
        static let overlays = Parts(rawValue: 4)
        static let views = Parts(rawValue: 8)
        static let user = Parts(rawValue: 16)
        static let tracking = Parts(rawValue: 32)
        static let selected = Parts(rawValue: 64)
        static let prompt = Parts(rawValue: 128)
        static let saved = Parts(rawValue: 256)
        static let regions = Parts(rawValue: 512)
    }

    /// A caller that waits until a page of a server has drawn everything.
    private struct IdleWaiter {
        var server: ObjectIdentifier
        var continuation: CheckedContinuation<Void, Never>
    }

    weak var map: MapView?
    private let hub: PageHub
    private var pending: Parts = []
    private var isFlushScheduled = false
    /// The revision of the newest event after which a page draws and reports that it is idle: all but the user's location.
    private var revisionToDraw = 0
    private var idleWaiters: [IdleWaiter] = []

    init(hub: PageHub) { self.hub = hub }

    isolated deinit { endWaiting() }

    // MARK: Sending

    /// Sends `parts`, together with further changes until the main actor is free.
    func add(_ parts: Parts) {
        pending.formUnion(parts)
        guard !hub.isEmpty else {
            map?.overlayTable.forgetChanges()
            return
        }
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        // An unstructured task lets a loop over 100,000 annotations cause one event.
        Task {
            isFlushScheduled = false
            flush()
        }
    }

    /// Sends `parts` and all pending changes at once.
    func sendNow(_ parts: Parts) {
        pending.formUnion(parts)
        flush()
    }

    /// Replaces the pending parts at the first page, whose initial state contains the others.
    func restart(with parts: Parts) { pending = parts }

    /// Moves all pages but the one that made the move.
    func send(_ camera: WireCamera) {
        broadcast(.camera, camera)
    }

    private func broadcast(_ name: WireEvent.Name, _ value: some Encodable) {
        hub.broadcast(name, value)
        if name != .user { revisionToDraw = hub.revision }
    }

    /// Sends the pending changes.
    func flush() {
        guard let map, !hub.isEmpty else { return }
        let parts = pending
        pending = []
        if parts.contains(.map) { broadcast(.map, map.wireMap) }
        if parts.contains(.controls) { broadcast(.controls, ["controls": map.wireControls]) }
        if parts.contains(.overlays) {
            map.addMissingRenderers()
            let changes = map.overlayTable.takeChanges(of: map)
            if !changes.isEmpty { broadcast(.overlays, changes) }
        }
        if parts.contains(.views) {
            let changes = map.annotationTable.update()
            if !changes.isEmpty { broadcast(.views, changes) }
        }
        if parts.contains(.selected) { broadcast(.selected, ["selected": map.annotationTable.wireSelection]) }
        if parts.contains(.tracking) { broadcast(.tracking, map.user.wireTracking) }
        if parts.contains(.user) { broadcast(.user, map.user.wire) }
        if parts.contains(.saved) { broadcast(.saved, ["saved": map.savedPlaces.map(WireSavedPlaces.init)]) }
        if parts.contains(.regions), let library = map.regionLibrary { broadcast(.regions, WireRegions(library)) }
        if parts.contains(.prompt) { broadcast(.prompt, ["prompt": map.user.wirePrompt]) }
    }

    // MARK: Waiting

    /// Waits until a page of a server has drawn everything.
    func waitUntilIdle(_ server: ObjectIdentifier) async {
        await withCheckedContinuation { idleWaiters.append(IdleWaiter(server: server, continuation: $0)) }
    }

    /// Handles the report of a page that has drawn everything up to a revision. The page is idle if it was sent nothing to draw
    /// since; otherwise it reports again. It would not if changes were pending here that turn out to be none: they are sent first.
    /// Returns whether the page is idle.
    @discardableResult
    func pageIsIdle(_ page: String, revision: Int) -> Bool {
        guard let server = hub.pages[page]?.server else { return false }
        flush()
        guard revision >= revisionToDraw else { return false }
        endWaiting(for: server)
        return true
    }

    /// Ends the waits for the pages of a server; `nil` for all servers.
    func endWaiting(for server: ObjectIdentifier? = nil) {
        let ended = idleWaiters.filter { server == nil || $0.server == server }
        idleWaiters.removeAll { server == nil || $0.server == server }
        for waiter in ended { waiter.continuation.resume() }
    }
}
