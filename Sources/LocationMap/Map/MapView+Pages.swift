import LocationClient
import LocationModel
import Logging
import MapModel
import NIOCore

// Messages from pages.

extension MapView {
    /// A page comes.
    func connectPage(over server: ObjectIdentifier, by session: BrowserSession) -> Page? {
        let page = hub.connect(over: server, by: session) { [weak self, logger = hub.logger] page in
            do {
                return try self?.state(for: page) ?? ByteBuffer()
            } catch {
                // The page tries again, in vain until the program has mended it.
                logger.error(
                    "The map cannot be shown, because a number of it, such as a line's width, is not finite: \(error)")
                throw error
            }
        }
        // Sends the changes since there was no page.
        if page != nil { dirty = [.overlays, .views] }
        return page
    }

    /// A page goes.
    func disconnect(_ page: Page) {
        hub.disconnect(page)
        pageDidLeave(page.id)
    }

    /// Takes in what a page says. Whatever is not there any more, or is not allowed, has no effect.
    func receive(_ messages: [PageMessage], from page: String) {
        for message in messages { receive(message, from: page) }
    }

    private func receive(_ message: PageMessage, from page: String) {
        switch message {
        case .viewport(let width, let height): receive(viewport: Viewport(width: width, height: height), from: page)
        case .camera(let camera): receive(camera, from: page)
        case .gesture(let gesture): receive(gesture, from: page)
        case .trackingButton: pressTrackingButton()
        case .mapType(let type): choose(type)
        case .select(let id): annotationTable.receiveSelection(of: id)
        case .deselect(let id): annotationTable.receiveDeselection(of: id)
        case .accessory(let id, let side): annotationTable.receiveAccessory(side, of: id)
        case .drag(let id, let state, let position):
            annotationTable.receiveDrag(state, of: id, to: position, from: page)
        case .answer(let id, let choice): answer(prompt: id, choice)
        case .idle(let revision): pageIsIdle(page, revision: revision)
        case .menu(let action, let position):
            guard menuItems.contains(action) else { return }
            delegate?.mapView(self, didChoose: action, at: position.coordinate)
        case .handled(let time): onHandled?(time)
        }
    }

    private func receive(_ gesture: PageMessage.Gesture, from page: String) {
        leader = page
        switch gesture {
        case .pan where isScrollEnabled: handle(tracking.receive(.pan), animated: true)
        case .zoom where isZoomEnabled: handle(tracking.receive(.zoom), animated: true)
        case .rotate where isRotateEnabled: handle(tracking.receive(.rotate), animated: true)
        case .pan, .zoom, .rotate, .pitch: return
        }
    }

    private func choose(_ type: MapType) {
        guard controls.contains(where: { $0.kind == .mapType }), type != mapType else { return }
        mapType = type
        delegate?.mapView(self, didChange: type)
    }
}

/// Somebody who waits until a page of a server has drawn all.
struct IdleWaiter {
    var server: ObjectIdentifier
    var continuation: CheckedContinuation<Void, Never>
}

extension MapView {
    /// A page is done for now. With where the map is looked at from now it is done in earnest.
    fileprivate func pageIsIdle(_ page: String, revision: Int) {
        guard let server = hub.pages[page]?.server, revision >= cameraRevision, dirty.isEmpty else { return }
        let done = idleWaiters.filter { $0.server == server }
        idleWaiters.removeAll { $0.server == server }
        for waiter in done { waiter.continuation.resume() }
    }

    /// Waits until a page of a server has drawn all that there is.
    func waitUntilIdle(_ server: ObjectIdentifier) async {
        await withCheckedContinuation { idleWaiters.append(IdleWaiter(server: server, continuation: $0)) }
    }

    /// Ends the waits for pages of that server.
    func endWaiting(for server: ObjectIdentifier? = nil) {
        for waiter in idleWaiters where server == nil || waiter.server == server { waiter.continuation.resume() }
        idleWaiters.removeAll { server == nil || $0.server == server }
    }
}
