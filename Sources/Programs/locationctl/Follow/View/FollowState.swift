import CommandLineSupport
import LocationClient
import LocationInterface
import LocationModel
import PlaceSearch

/// The state of the live view and its changes. It has no effects; `FollowScreen` draws it.
///
/// Times count from the start of the view.
struct FollowState {
    /// The condition of the location.
    enum Condition: Hashable {
        /// The service has not reported yet.
        case waiting
        /// Frames arrive.
        case following
        /// There are no frames, for this reason.
        case interrupted(LocationInterface.Diagnostic)
        /// The service is not available.
        case serviceAway
    }

    /// A command of a key for the program.
    enum Request: Hashable {
        case quit
        case toggleRecording
    }

    private(set) var tracking: UserTracking
    private(set) var condition = Condition.waiting
    /// The time of the last change of the condition.
    private(set) var conditionTime = Duration.zero
    /// True if the program has reduced accuracy.
    private(set) var isReduced = false
    private(set) var frames = FrameRecord()
    private(set) var trail = Trail()
    private var cameraControl = CameraControl()
    private(set) var notice: (text: String, time: Duration)?
    private(set) var isHelpShown = false
    /// The receiver in use; `nil` if it is not known.
    var receiver: ManagerInterface.Receiver?
    /// The file of the recording.
    var recording: String?
    /// The outline of the world, shown before the first location.
    var world = WorldOutline()
    /// The units, notation and clock of the view.
    var display = DisplayStyle()
    /// The reason for having no location, as a sentence; `nil` while there is one.
    private(set) var obstacle: String?
    /// The name of the place; `nil` if it is not known.
    var place: PlaceNamer.Name?
    /// The ground behind the trail; `nil` while it is not known.
    var ground: Ground?

    /// A view that begins in `mode`.
    init(mode: UserTracking.Mode) {
        tracking = UserTracking(mode: mode)
    }

    /// The last frame, with the last known position.
    var frame: TrackingFrame? { frames.last }

    /// `nil` before the first frame.
    var camera: TerminalCamera? { cameraControl.camera }

    /// The time for which a notice is shown.
    static let noticeTime = Duration.seconds(6)

    /// Shows a notice.
    mutating func say(_ text: String, at now: Duration) { notice = (text, now) }

    /// Handles an event of the service.
    ///
    /// - Parameter obstacle: the reason for having no location, if there is more to say than the event does.
    mutating func receive(_ update: FollowUpdate, obstacle: String? = nil, at now: Duration) {
        let events = tracking.receive(update)
        self.obstacle = update.frame == nil ? obstacle ?? update.sentence : nil
        if update.serviceUnavailable {
            change(to: .serviceAway, at: now)
            receiver = nil
        } else if update.accuracyLimited {
            // Interrupted until the first reduced frame, which may come much later: the exact position must not pass for it.
            isReduced = true
            change(to: .interrupted(.accuracyLimited), at: now)
        } else if let diagnostic = update.diagnostic {
            change(to: .interrupted(diagnostic), at: now)
        } else if let frame = update.frame {
            receive(frame, at: now)
        }
        for event in events { explain(event, at: now) }
    }

    /// Handles the passing of time.
    mutating func tick(at now: Duration) {
        if let notice, now - notice.time >= Self.noticeTime { self.notice = nil }
    }

    private mutating func receive(_ frame: TrackingFrame, at now: Duration) {
        change(to: .following, at: now)
        // Reduced positions have a radius of kilometres, so a more accurate one is exact.
        if frame.horizontalAccuracy < 1000 { isReduced = false }
        frames.add(frame, at: now)
        if !isReduced { trail.add(frame.coordinate, accuracy: frame.horizontalAccuracy, speed: frame.speed, at: now) }
        cameraControl.aim(at: frame, tracking, at: now)
    }

    private mutating func change(to new: Condition, at now: Duration) {
        guard new != condition else { return }
        // The way during an outage of the receiver or the service is unknown.
        if new != .following { trail.interrupt() }
        (condition, conditionTime) = (new, now)
    }

    private mutating func explain(_ event: UserTracking.Event, at now: Duration) {
        guard case .modeChanged(_, let mode, let reason) = event else { return }
        let sentence =
            switch (reason, mode) {
            case (.gesture(.pan), _): "You moved the map; f follows again."
            case (.headingLost, _): "No heading any more: north is up."
            case (_, .none): "The map stays here; f follows again."
            case (_, .follow): "The map follows you, north up."
            case (_, .followWithHeading): "The map follows you, heading up."
            case (_, .followWithCourse): "The map follows you, course up."
            }
        say(sentence, at: now)
    }
}

extension FollowState {
    /// Handles a key; returns the command for the program. An unknown key does nothing.
    mutating func press(_ key: Key, at now: Duration) -> Request? {
        switch key {
        case .up: pan(right: 0, up: 1, at: now)
        case .down: pan(right: 0, up: -1, at: now)
        case .left: pan(right: -1, up: 0, at: now)
        case .right: pan(right: 1, up: 0, at: now)
        case .character("+"), .character("="): zoom(by: 0.5.squareRoot(), at: now)
        case .character("-"), .character("_"): zoom(by: 2.0.squareRoot(), at: now)
        case .character("0"): zoomAutomatically(at: now)
        case .character("f"): change(tracking.receive(.button), at: now)
        case .character("c"): change(tracking.select(.followWithCourse), at: now)
        case .character("n"): turnNorthUp(at: now)
        case .character("?"): isHelpShown.toggle()
        case .character("r"): return .toggleRecording
        case .character("q"): return .quit
        case .character: break
        }
        return nil
    }

    /// Announces a change and shows it without waiting for a frame.
    private mutating func change(_ events: [UserTracking.Event], at now: Duration) {
        for event in events { explain(event, at: now) }
        if let frame { cameraControl.aim(at: frame, tracking, at: now) }
    }

    private mutating func pan(right: Double, up: Double, at now: Duration) {
        guard camera != nil else { return }
        change(tracking.receive(.pan), at: now)
        cameraControl.pan(right: right, up: up)
    }

    private mutating func zoom(by factor: Double, at now: Duration) {
        guard camera != nil else { return }
        cameraControl.zoom(by: factor)
        change(tracking.receive(.zoom), at: now)
    }

    private mutating func zoomAutomatically(at now: Duration) {
        cameraControl.zoomAutomatically()
        say("As much ground as fits your speed.", at: now)
        if let frame { cameraControl.aim(at: frame, tracking, at: now) }
    }

    /// Continues to follow, if the map does; a map that stays in place is turned, too.
    private mutating func turnNorthUp(at now: Duration) {
        change(tracking.receive(.rotate), at: now)
        cameraControl.turnNorthUp()
    }
}
