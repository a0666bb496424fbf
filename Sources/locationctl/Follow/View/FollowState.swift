import CommandSupport
import LocationClient
import LocationInterface

/// What the live view shows, and what changes it. It draws nothing and asks nobody: `FollowScreen` draws it.
///
/// Times are those of the view, from its start.
struct FollowState {
    /// How things stand with the location.
    enum Condition: Hashable {
        /// The service has not said anything yet.
        case waiting
        /// Frames come.
        case following
        /// Something stands in the way of them.
        case interrupted(LocationInterface.Diagnostic)
        /// The service is not there.
        case serviceAway
    }

    /// How many satellites the receiver in use has.
    struct Satellites: Hashable {
        var used: Int
        var seen: Int
    }

    /// What a key asks the program to do.
    enum Request: Hashable {
        case quit
        case toggleRecording
    }

    private(set) var tracking: UserTracking
    private(set) var condition = Condition.waiting
    /// Since when the condition is what it is.
    private(set) var conditionTime = Duration.zero
    /// Whether the program may know only roughly.
    private(set) var isReduced = false
    /// The last frame; the place in it is where the user was last seen.
    private(set) var frame: TrackingFrame?
    private var frameTime = Duration.zero
    /// When a frame last said that it is predicted.
    private(set) var predictionTime: Duration?
    /// When the first frame came.
    private(set) var beginning: Duration?
    private(set) var trail = Trail()
    private(set) var camera: MapCamera?
    private(set) var notice: (text: String, time: Duration)?
    private(set) var isHelpShown = false
    /// `nil` when they are not known.
    var satellites: Satellites?
    /// The file that is being recorded into.
    var recording: String?
    /// What is drawn behind the trail; `nil` while it is not known.
    var ground: Ground?

    /// What the person at the screen zoomed to; `nil` for what the service suggests.
    private var chosenSpan: Double?
    private var automaticSpan = AutomaticSpan()
    /// What tracking begins with as soon as it is known whether that can be had.
    private var wantedMode: UserTracking.Mode?

    /// A view that begins in `mode`.
    init(mode: UserTracking.Mode) {
        tracking = UserTracking(mode: mode)
        wantedMode = mode
    }

    /// How long a notice stays.
    static let noticeTime = Duration.seconds(6)

    /// Says something in passing.
    mutating func say(_ text: String, at now: Duration) { notice = (text, now) }

    /// Takes in what the service says.
    mutating func receive(_ update: FollowUpdate, at now: Duration) {
        let events = tracking.receive(update)
        if update.serviceUnavailable {
            change(to: .serviceAway, at: now)
            satellites = nil
        } else if update.accuracyLimited {
            // The exact place before it is not to be taken for the rough one that follows, maybe much later.
            isReduced = true
            change(to: .interrupted(.accuracyLimited), at: now)
        } else if let diagnostic = update.diagnostic {
            change(to: .interrupted(diagnostic), at: now)
        } else if let frame = update.frame {
            receive(frame, at: now)
        }
        for event in events { explain(event, at: now) }
    }

    /// How old the fix behind the last frame is, in seconds; `nil` without a frame.
    func fixAge(at now: Duration) -> Double? { frame.map { $0.age + (now - frameTime) / .seconds(1) } }

    /// Takes in that time has passed.
    mutating func tick(at now: Duration) {
        if let notice, now - notice.time >= Self.noticeTime { self.notice = nil }
    }

    private mutating func receive(_ frame: TrackingFrame, at now: Duration) {
        change(to: .following, at: now)
        // The rough places are cells of kilometres; nothing so exact as this is one of them.
        if frame.horizontalAccuracy < 1000 { isReduced = false }
        (self.frame, frameTime) = (frame, now)
        if frame.isPredicted { predictionTime = now }
        if beginning == nil { beginning = now }
        if !isReduced { trail.add(frame.coordinate, accuracy: frame.horizontalAccuracy, at: now) }
        if let mode = wantedMode {
            _ = tracking.select(mode)
            wantedMode = nil
        }
        aim(at: frame, now)
    }

    private mutating func change(to new: Condition, at now: Duration) {
        guard new != condition else { return }
        // For as long as the receiver or the service was away nobody knows the way.
        if new != .following { trail.interrupt() }
        (condition, conditionTime) = (new, now)
    }

    /// Points the map at the user, unless it is to stay where it is.
    private mutating func aim(at frame: TrackingFrame, _ now: Duration) {
        // A circle that is larger than the map says nothing.
        let span = automaticSpan.follow(max(frame.span, 3 * frame.horizontalAccuracy), at: now)
        var camera = camera ?? MapCamera(centre: frame.coordinate, span: span)
        camera.zoom(to: chosenSpan ?? span)
        if tracking.mode != .none {
            camera.move(to: frame.coordinate)
            turn(&camera, to: tracking.mapBearing(for: frame))
        }
        self.camera = camera
    }

    /// Turns the map, but not for what nobody would notice.
    private func turn(_ camera: inout MapCamera, to bearing: Double) {
        let isNorthUp = tracking.mode == .follow
        if isNorthUp || abs((bearing - camera.bearing).remainder(dividingBy: 360)) >= 3 { camera.bearing = bearing }
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
    /// Does what a key stands for; gives what the program has to do. A key that stands for nothing does nothing.
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

    /// Tells what changed, and shows it without waiting for a frame.
    private mutating func change(_ events: [UserTracking.Event], at now: Duration) {
        wantedMode = nil
        for event in events { explain(event, at: now) }
        if let frame { aim(at: frame, now) }
    }

    private mutating func pan(right: Double, up: Double, at now: Duration) {
        guard camera != nil else { return }
        change(tracking.receive(.pan), at: now)
        camera?.pan(right: right / 5, up: up / 5)
    }

    private mutating func zoom(by factor: Double, at now: Duration) {
        guard var camera else { return }
        camera.zoom(to: camera.span * factor)
        chosenSpan = camera.span
        change(tracking.receive(.zoom), at: now)
    }

    private mutating func zoomAutomatically(at now: Duration) {
        chosenSpan = nil
        say("As much ground as fits your speed.", at: now)
        if let frame { aim(at: frame, now) }
    }

    /// Keeps following, if the map does; one that stays where it is is turned, too.
    private mutating func turnNorthUp(at now: Duration) {
        change(tracking.receive(.rotate), at: now)
        camera?.bearing = 0
    }
}
