import LocationClient
import LocationModel
import Logging
import MapModel
import NIOCore
import PageServing

// The messages of pages, and the state for pages.

extension MapView {
    /// Connects a page.
    func connectPage(over server: ObjectIdentifier, by session: BrowserSession) -> Page? {
        let page = hub.connect(over: server, by: session) { [weak self, logger = hub.logger] page in
            do {
                return try self?.state(for: page) ?? ByteBuffer()
            } catch {
                // The page reconnects in vain until the program removes the cause.
                logger.error(
                    "The map cannot be shown, because a number of it, such as a line's width, is not finite: \(error)")
                throw error
            }
        }
        if let fleet, let page { page.supplement = { [weak fleet] in fleet?.event(for: $0.id) } }
        // Sends the changes made while no page was connected.
        if page != nil { updates.restart(with: [.overlays, .views]) }
        return page
    }

    /// Disconnects a page.
    func disconnect(_ page: Page) {
        hub.disconnect(page)
        pageDidLeave(page.id)
        fleet?.remove(page.id)
        endLoading(of: page.id)
    }

    /// Returns the whole state, for a page that is new or has fallen behind.
    private func state(for page: Page) throws -> ByteBuffer {
        // The other pages receive their pending changes first, so that nothing is sent twice.
        updates.flush()
        addMissingRenderers()
        // Another program may have changed them.
        savedPlaces?.reload()
        regionLibrary?.reload()
        fleet?.restart(page.id)
        let state = WireState(
            page: page.id, revision: hub.revision, map: wireMap, camera: cameraState.wire(animated: false),
            controls: wireControls, user: user.wire, tracking: user.wireTracking,
            sources: tileSources.map(\.description).filter { !$0.isEmpty }.map(WireSource.init),
            overlays: overlayTable.wire(of: self),
            views: annotationTable.wireViews, selected: annotationTable.wireSelection,
            saved: savedPlaces.map(WireSavedPlaces.init), regions: regionLibrary.map(WireRegions.init),
            hasFleet: fleet == nil ? nil : true, isFleetLive: fleet?.isLive == true ? true : nil,
            hasRecording: fleet?.recording == nil ? nil : true, prompt: user.wirePrompt)
        return try WireEvent.encode(.state, state, revision: hub.revision)
    }

    var wireMap: WireMap {
        WireMap(
            type: mapType, title: title, menuItems: menuItems, isZoomEnabled: isZoomEnabled,
            isScrollEnabled: isScrollEnabled, isRotateEnabled: isRotateEnabled, isPitchEnabled: isPitchEnabled,
            appearance: appearance, showsUserLocation: showsUserLocation,
            offersTypes: controls.contains { $0.kind == .mapType }, minimumZoom: cameraState.zoomLimits.lowerBound,
            maximumZoom: cameraState.zoomLimits.upperBound, boundary: cameraState.boundary?.wire,
            pointsOfInterest: pointOfInterestFilter?.wire, followsAddress: followsAddress)
    }

    /// Handles the messages of a page. A message about a removed object, or one that is not allowed, has no effect.
    func receive(_ messages: [PageMessage], from page: String) {
        var (places, routes): ([SavedPlace], [SavedRoute]) = ([], [])
        for message in messages {
            // Together, for one writing of the file.
            switch message {
            case .save(let place): places.append(place)
            case .saveRoute(let route): routes.append(route)
            default:
                save(places, routes)
                (places, routes) = ([], [])
                receive(message, from: page)
            }
        }
        save(places, routes)
    }

    private func save(_ places: [SavedPlace], _ routes: [SavedRoute]) {
        guard !places.isEmpty || !routes.isEmpty else { return }
        changeSavedPlaces { saved throws(SavedPlacesError) in try saved.save(places, routes: routes) }
    }

    /// Changes the saved places, and sends the pages the change or the error.
    private func changeSavedPlaces(_ change: (SavedPlaces) throws(SavedPlacesError) -> Void) {
        guard let savedPlaces else { return }
        do {
            try change(savedPlaces)
        } catch {
            hub.broadcast(.notice, WireNotice(kind: .error, sentence: error.sentence))
        }
        changed(.saved)
    }

    private func receive(_ message: PageMessage, from page: String) {
        switch message {
        case .viewport(let width, let height): receive(viewport: Viewport(width: width, height: height), from: page)
        case .camera(let camera): receive(camera, from: page)
        case .gesture(let gesture): receive(gesture, from: page)
        case .trackingButton: user.receive(.button)
        case .mapType(let type): choose(type)
        case .select(let id): annotationTable.receiveSelection(of: id)
        case .deselect(let id): annotationTable.receiveDeselection(of: id)
        case .accessory(let id, let side): annotationTable.receiveAccessory(side, of: id)
        case .drag(let id, let state, let position):
            annotationTable.receiveDrag(state, of: id, to: position, from: page)
        case .answer(let id, let choice): user.answer(prompt: id, choice)
        case .idle(let revision): updates.pageIsIdle(page, revision: revision)
        case .menu(let action, let position):
            guard menuItems.contains(action) else { return }
            delegate?.mapView(self, didChoose: action, at: position.coordinate)
        case .fleet(let query): fleet?.receive(query, from: page)
        case .fleetOrder(let order): fleet?.perform(order)
        case .choose(let id): searchField?.choose(id)
        case .submit(let text): searchField?.submit(text)
        case .tap(let position):
            delegate?.mapView(self, didTapAt: position.coordinate)
            declared.receiveTap(at: position.coordinate, on: self)
        // Places and routes of one post are saved together, before this.
        case .save, .saveRoute: return
        case .unsave(let id): changeSavedPlaces { places throws(SavedPlacesError) in try places.remove(id) }
        case .removeLine(let id): removeLine(id)
        case .removeRegion(let name):
            // An unstructured task, because the command takes longer than the message.
            Task { [regionLibrary] in await regionLibrary?.remove(name) }
        case .cancelRegion: regionLibrary?.cancel()
        case .loading(let stage): receive(loading: stage, from: page)
        case .rendering(let stage): receive(rendering: stage, from: page)
        }
    }

    private func receive(_ gesture: PageMessage.Gesture, from page: String) {
        cameraState.activate(page)
        guard allows(gesture) else { return }
        switch gesture {
        case .pan: user.receive(.pan)
        case .zoom: user.receive(.zoom)
        case .rotate: user.receive(.rotate)
        case .pitch: return
        }
    }

    /// Removes a line that the user has removed from the page's list of tracks.
    private func removeLine(_ id: String) {
        guard let line = overlayTable[id]?.overlay as? Shape, line.isRemovableByUser else { return }
        removeOverlay(line)
        delegate?.mapView(self, userDidRemove: line)
    }

    private func choose(_ type: MapType) {
        guard controls.contains(where: { $0.kind == .mapType }), type != mapType else { return }
        mapType = type
        delegate?.mapView(self, didChange: type)
    }
}
