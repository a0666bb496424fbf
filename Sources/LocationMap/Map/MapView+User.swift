import Glibc
public import LocationClient
import LocationInterface
import LocationModel
import MapModel

/// How a map follows the user (MapKit's `MKUserTrackingMode`).
public typealias UserTrackingMode = UserTracking.Mode

// The user on the map.

extension MapView {
    /// How the map follows the user. Setting it moves the map, with animation.
    public var userTrackingMode: UserTrackingMode {
        get { tracking.mode }
        set { setUserTrackingMode(newValue, animated: true) }
    }

    /// Follows the user in `mode`, and shows them. A mode that takes a heading becomes `follow` while there
    /// is none.
    public func setUserTrackingMode(_ mode: UserTrackingMode, animated: Bool) {
        if mode != .none { showsUserLocation = true }
        handle(tracking.select(mode), animated: animated)
    }

    /// Whether where the user is, is on the map now.
    public var isUserLocationVisible: Bool {
        guard showsUserLocation, userLocation.frame != nil else { return false }
        let rect = visibleMapRect
        return rect.contains(MapPoint(userLocation.coordinate).nearest(to: rect.center))
    }

    func showsUserLocationChanged() {
        changed(.map)
        if showsUserLocation {
            delegate?.mapViewWillStartLocatingUser(self)
            userLocation.isUpdating = true
            wireUser = WireUser(status: .waiting, title: userLocation.title ?? "")
            feed = UserFeed(map: self, manager: locationManager, answersPrompts: answersPrompts)
        } else {
            feed?.stop()
            feed = nil
            userView = nil
            withdrawPrompts()
            userLocation.isUpdating = false
            handle(tracking.select(.none), animated: false)
            wireUser = WireUser(status: .off, title: userLocation.title ?? "")
            delegate?.mapViewDidStopLocatingUser(self)
        }
        changed([.user, .tracking])
    }

    // MARK: What the service says

    func receive(_ update: FollowUpdate) {
        guard showsUserLocation else { return }
        handle(tracking.receive(update), animated: true)
        if let frame = update.frame {
            userLocation.frame = frame
            userLocation.isStale = frame.age > Self.staleAge
            userLocation.isReduced = isAccuracyLimited
            if hub.isEmpty, tracking.mode != .none { look.center = MapPoint(frame.coordinate) }
        } else {
            isAccuracyLimited = update.accuracyLimited || (isAccuracyLimited && update.diagnostic == nil)
            userLocation.isStale = userLocation.frame != nil && !update.accuracyLimited
        }
        userLocation.isReduced = isAccuracyLimited
        tell(Self.status(of: update, isStale: userLocation.isStale), update.sentence)
        delegate?.mapView(self, didUpdate: userLocation)
    }

    func receive(_ error: LocationError) {
        guard showsUserLocation else { return }
        userLocation.isStale = userLocation.frame != nil
        let isDenied =
            switch error {
            case .denied, .clientNotDeclared, .missingUsageDescription, .permissionDenied: true
            default: false
            }
        tell(isDenied ? .denied : .failed, error.description)
        delegate?.mapView(self, didFailToLocateUserWithError: error)
    }

    func userChanged() {
        wireUser.title = userLocation.title ?? ""
        changed(.user)
    }

    /// After so many seconds without a fix the position is shown as an old one.
    private static let staleAge = 10.0

    private func tell(_ status: WireUser.Status, _ message: String?) {
        var user = WireUser(status: status, title: userLocation.title ?? "")
        user.message = message
        if let frame = userLocation.frame {
            user.position = WirePosition(frame.coordinate)
            user.accuracy = (frame.horizontalAccuracy * 10).rounded() / 10
            user.heading = frame.heading.map { ($0 * 10).rounded() / 10 }
            user.course = frame.bearing.map { ($0 * 10).rounded() / 10 }
            user.speed = frame.speed.map { ($0 * 100).rounded() / 100 }
        }
        user.isReduced = userLocation.isReduced
        user.at = Self.milliseconds
        user.view = wireUserView
        wireUser = user
        // At once, and not with what else changes: every millisecond between the fix and the dot counts.
        dirty.insert(.user)
        flush()
    }

    private static var milliseconds: Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec) * 1000 + (Double(now.tv_nsec) / 1e4).rounded() / 100
    }

    private static func status(of update: FollowUpdate, isStale: Bool) -> WireUser.Status {
        if update.frame != nil { return isStale ? .stale : .located }
        if update.serviceUnavailable { return .failed }
        return switch update.diagnostic {
        case .authorizationRequestInProgress: .asking
        case .authorizationDenied: .denied
        case .authorizationRestricted: .restricted
        case .insufficientlyInUse: .suspended
        case .locationUnavailable: .unavailable
        case .accuracyLimited, .stationary, nil: isStale ? .stale : .waiting
        }
    }

    // MARK: The view of the user

    /// The program's own view in place of the dot; asked for once, while the user is shown.
    private var wireUserView: WireView? {
        if userView == nil {
            let own = delegate?.mapView(self, viewFor: userLocation)
            userView = own ?? AnnotationView(annotation: userLocation, reuseIdentifier: nil)
            userView?.annotation = userLocation
            userView?.canShowCallout = own?.canShowCallout ?? true
            userView?.map = self
            hasOwnUserView = own != nil
        }
        guard hasOwnUserView, let userView else { return nil }
        var wire = WireView(id: "user", position: WirePosition(userLocation.coordinate))
        wire.size = [userView.size.width, userView.size.height]
        wire.offset = [userView.centerOffset.x, userView.centerOffset.y]
        wire.label = userLocation.title ?? ""
        wire.callout = userView.wireCallout(images)
        userView.describe(in: &wire, images: images)
        return wire
    }

    // MARK: Tracking

    func pressTrackingButton() {
        if !showsUserLocation { showsUserLocation = true }
        handle(tracking.receive(.button), animated: true)
    }

    /// Does what a change of the tracking takes.
    func handle(_ events: [UserTracking.Event], animated: Bool) {
        for event in events {
            switch event {
            case .modeChanged(_, let mode, let reason):
                trackingAnnouncement = Self.announcement(of: mode, reason)
                changed(.tracking)
                if mode != .none { wish = nil }
                delegate?.mapView(self, didChange: mode, animated: animated)
            case .locationFound, .locationLost: changed(.tracking)
            }
        }
    }

    var wireTracking: WireTracking {
        WireTracking(
            mode: tracking.mode.rawValue, isHeadingAvailable: tracking.isHeadingAvailable,
            isLocationAvailable: tracking.isLocationAvailable, announcement: trackingAnnouncement)
    }

    private static func announcement(of mode: UserTrackingMode, _ reason: UserTracking.Reason) -> String {
        if reason == .headingLost { return "Following you. There is no heading any more." }
        return switch mode {
        case .none: "Not following you."
        case .follow: "Following you."
        case .followWithHeading: "Following you, with the heading up."
        case .followWithCourse: "Following you, with the course up."
        }
    }

    // MARK: Prompts

    func show(_ prompt: AgentPrompt) {
        prompts.append(prompt)
        changed(.prompt)
    }

    func withdraw(_ id: Int) {
        prompts.removeAll { $0.prompt.id == id }
        changed(.prompt)
    }

    func withdrawPrompts() {
        guard !prompts.isEmpty else { return }
        prompts = []
        changed(.prompt)
    }

    /// A person has answered a prompt. An answer that does not count is said, and the prompt stays.
    func answer(prompt id: Int, _ choice: PromptChoice) {
        guard let prompt = prompts.first(where: { $0.prompt.id == id }), prompt.prompt.choices.contains(choice) else {
            return
        }
        // A task of its own: the page that posted the answer does not wait for the service.
        Task {
            do {
                try await prompt.service.answer(id, choice)
                withdraw(id)
            } catch {
                showNotice(.error, "Your answer did not count: \(error)")
            }
        }
    }

    func showNotice(_ kind: WireNotice.Kind, _ text: String) {
        hub.broadcast(.notice, WireNotice(kind: kind, text: text, seconds: nil))
    }
}
