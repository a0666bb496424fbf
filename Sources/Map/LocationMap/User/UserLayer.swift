import Glibc
import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement
import MapModel
import PageServing

/// The user on a map: the reported location, the tracking, the view and the prompts.
@MainActor
final class UserLayer {
    weak var map: MapView?
    let location = UserLocation()
    var locationManager = LocationManager()
    var answersPrompts = true
    var isShown = false { didSet { if isShown != oldValue { isShownDidChange() } } }

    private var tracking = UserTracking()
    /// The reason for the last change of the tracking mode; `nil` before the first one.
    private var trackingReason: UserTracking.Reason?
    private var feed: UserFeed?
    /// The view, made once while the user is shown.
    private(set) var view: AnnotationView?
    /// True if the delegate supplied the view; otherwise the page draws its dot.
    private var hasOwnView = false
    private var isAccuracyLimited = false
    /// The time of the last fix, in milliseconds since 1970.
    private var fixedAt: Double?
    private(set) var wire = WireUser(status: .off, title: "My Location")
    private var prompts: [AgentPrompt] = []

    /// The age at which a location counts as stale.
    private static let staleAge = Duration.seconds(10)

    isolated deinit { feed?.stop() }

    private func isShownDidChange() {
        guard let map else { return }
        map.changed(.map)
        if isShown {
            map.delegate?.mapViewWillStartLocatingUser(map)
            location.isUpdating = true
            wire = WireUser(status: .waiting, title: location.title ?? "")
            feed = UserFeed(user: self, manager: locationManager, answersPrompts: answersPrompts)
        } else {
            feed?.stop()
            feed = nil
            view = nil
            withdrawPrompts()
            location.isUpdating = false
            stopFollowing(animated: false)
            wire = WireUser(status: .off, title: location.title ?? "")
            map.delegate?.mapViewDidStopLocatingUser(map)
        }
        map.changed([.user, .tracking])
    }

    // MARK: Updates of the service

    func receive(_ update: FollowUpdate) {
        guard let map, isShown else { return }
        let hadHeading = tracking.isHeadingAvailable
        perform(tracking.receive(update), animated: true)
        if tracking.isHeadingAvailable != hadHeading { map.changed(.tracking) }
        if let frame = update.frame {
            location.frame = frame
            fixedAt = (Self.milliseconds - frame.age / .milliseconds(1)).rounded()
            // Locations of other kinds than receivers come minutes apart, and apply until the service reports their end.
            location.isStale = frame.age > Self.staleAge && frame.sourceInformation?.kind?.isReceiver != false
            if map.hub.isEmpty, mode != .none { map.cameraState.center(on: MapPoint(frame.coordinate)) }
        } else {
            isAccuracyLimited = update.accuracyLimited || (isAccuracyLimited && update.diagnostic == nil)
            location.isStale = location.frame != nil && !update.accuracyLimited
        }
        location.isReduced = isAccuracyLimited
        show(
            Self.status(of: update, isStale: location.isStale), update.sentence,
            reason: update.diagnostic.flatMap { _ in update.cause?.reason.rawValue })
        map.delegate?.mapView(map, didUpdate: location)
    }

    func receive(_ error: LocationError) {
        guard let map, isShown else { return }
        location.isStale = location.frame != nil
        let isDenied =
            switch error {
            case .denied, .clientNotDeclared, .missingUsageDescription, .permissionDenied: true
            default: false
            }
        show(isDenied ? .denied : .failed, error.description, reason: Self.reason(of: error))
        map.delegate?.mapView(map, didFailToLocateUserWithError: error)
    }

    func titleDidChange() {
        wire.title = location.title ?? ""
        map?.changed(.user)
    }

    private func show(_ status: WireUser.Status, _ message: String?, reason: String?) {
        var user = WireUser(status: status, title: location.title ?? "")
        (user.message, user.reason) = (message, reason)
        if let frame = location.frame {
            user.position = WirePosition(frame.coordinate)
            user.accuracy = (frame.horizontalAccuracy * 10).rounded() / 10
            user.heading = frame.heading.map { ($0 * 10).rounded() / 10 }
            user.course = frame.bearing.map { ($0 * 10).rounded() / 10 }
            user.source = frame.sourceInformation?.kind.flatMap(Self.words(for:))
            user.fixedAt = fixedAt
            user.speed = frame.speed.map { ($0 * 100).rounded() / 100 }
        }
        user.isReduced = location.isReduced
        user.at = Self.milliseconds
        user.view = wireView
        wire = user
        // Sent at once rather than with other changes: every millisecond between the fix and the dot counts.
        map?.updates.sendNow(.user)
    }

    private static var milliseconds: Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec) * 1000 + (Double(now.tv_nsec) / 1e4).rounded() / 100
    }

    /// The words for a source that people do not expect.
    private static func words(for kind: Location.SourceInformation.Kind) -> String? {
        switch kind {
        case .receiver, .modem, .unknown: nil
        case .wifi: "found by Wi-Fi"
        case .fixed: "set by an administrator"
        }
    }

    /// The identifier of an error that pages name in their language; `nil` for others.
    private static func reason(of error: LocationError) -> String? {
        switch error {
        case .denied(_, let reason, _): reason?.rawValue
        case .clientNotDeclared: "clientNotDeclared"
        case .missingUsageDescription: "missingUsageDescription"
        case .notAnswered: "notAnswered"
        case .serviceUnavailable: "serviceUnavailable"
        case .locationUnknown, .limitExceeded, .invalidParameter, .permissionDenied, .refused, .cancelled, .unexpected:
            nil
        }
    }

    private static func status(of update: FollowUpdate, isStale: Bool) -> WireUser.Status {
        if update.frame != nil { return isStale ? .stale : .located }
        if update.serviceUnavailable { return .failed }
        return switch update.diagnostic {
        case .authorizationRequestInProgress: .asking
        case .authorizationDenied: .denied
        case .authorizationRestricted: .restricted
        case .insufficientlyInUse: .suspended
        case .locationUnavailable, .unknown: .unavailable
        case .accuracyLimited, .stationary, nil: isStale ? .stale : .waiting
        }
    }

    // MARK: The view

    /// The program's own view; `nil` for the page's dot.
    private var wireView: WireView? {
        guard let map else { return nil }
        let view = self.view ?? makeView(on: map)
        guard hasOwnView else { return nil }
        var wire = WireView(id: "user", position: WirePosition(location.coordinate))
        wire.size = [view.size.width, view.size.height]
        wire.offset = [view.centerOffset.x, view.centerOffset.y]
        wire.label = location.title ?? ""
        wire.callout = view.wireCallout(for: location, map.images)
        view.describe(in: &wire, images: map.images)
        return wire
    }

    private func makeView(on map: MapView) -> AnnotationView {
        let own = map.delegate?.mapView(map, viewFor: location)
        let view = own ?? AnnotationView(annotation: location, reuseIdentifier: nil)
        view.annotation = location
        if own == nil { view.canShowCallout = true }
        view.map = map
        hasOwnView = own != nil
        self.view = view
        return view
    }
}

// MARK: - Tracking

extension UserLayer {
    var mode: UserTrackingMode { tracking.mode }

    /// Sets the tracking mode, and shows the user.
    func follow(_ mode: UserTrackingMode, animated: Bool) {
        if mode != .none { isShown = true }
        perform(tracking.select(mode), animated: animated)
    }

    func stopFollowing(animated: Bool) { perform(tracking.select(.none), animated: animated) }

    func receive(_ gesture: UserTracking.Gesture) {
        if gesture == .button { isShown = true }
        perform(tracking.receive(gesture), animated: true)
    }

    /// Performs the consequences of tracking events.
    private func perform(_ events: [UserTracking.Event], animated: Bool) {
        guard let map else { return }
        for event in events {
            switch event {
            case .modeChanged(_, let mode, let reason):
                trackingReason = reason
                map.changed(.tracking)
                if mode != .none { map.cameraState.releaseFraming() }
                map.delegate?.mapView(map, didChange: mode, animated: animated)
            case .locationFound, .locationLost: map.changed(.tracking)
            }
        }
    }

    var wireTracking: WireTracking {
        WireTracking(
            mode: tracking.mode.rawValue, isHeadingAvailable: tracking.isHeadingAvailable,
            isLocationAvailable: tracking.isLocationAvailable, announcement: announcement)
    }

    /// The last change of the tracking mode as a sentence; `nil` while there is nothing to follow.
    private var announcement: String? {
        guard let trackingReason, mode == .none || tracking.isLocationAvailable else { return nil }
        if trackingReason == .headingLost { return "Following you. There is no heading any more." }
        return switch mode {
        case .none: "Not following you."
        case .follow: "Following you."
        case .followWithHeading where !tracking.isHeadingAvailable:
            "Following you, with the course up: there is no heading yet."
        case .followWithHeading: "Following you, with the heading up."
        case .followWithCourse: "Following you, with the course up."
        }
    }
}

// MARK: - Prompts

extension UserLayer {
    /// The prompt that the pages show; `nil` for none.
    var wirePrompt: WirePrompt? { prompts.first?.wire }

    func show(_ prompt: AgentPrompt) {
        prompts.append(prompt)
        map?.changed(.prompt)
    }

    func withdraw(_ id: Int) {
        prompts.removeAll { $0.prompt.id == id }
        map?.changed(.prompt)
    }

    func withdrawPrompts() {
        guard !prompts.isEmpty else { return }
        prompts = []
        map?.changed(.prompt)
    }

    /// Sends the user's answer to the service. If the service rejects it, the page shows the error and the prompt
    /// stays.
    func answer(prompt id: Int, _ choice: PromptChoice) {
        guard let prompt = prompts.first(where: { $0.prompt.id == id }), prompt.prompt.choices.contains(choice) else {
            return
        }
        // An unstructured task, because the page that posted the answer does not wait for the service.
        Task {
            do {
                try await prompt.service.answer(id, choice)
                withdraw(id)
            } catch {
                map?.hub.broadcast(
                    .notice,
                    WireNotice(
                        kind: .error,
                        sentence: PageSentence("Your answer was not accepted: {reason}", ["reason": "\(error)"])))
            }
        }
    }
}
