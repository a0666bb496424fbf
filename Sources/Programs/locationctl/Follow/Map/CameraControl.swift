import LocationClient

/// Points the camera: at the user, whom the map follows or not, and with the span that the user has chosen or the service suggests.
struct CameraControl {
    /// `nil` before the first frame.
    private(set) var camera: TerminalCamera?
    /// The span that the user has chosen; `nil` for the service's suggestion.
    private var chosenSpan: Double?
    private var automaticSpan = AutomaticSpan()

    /// Points the camera at the user, unless it is to stay in place.
    mutating func aim(at frame: TrackingFrame, _ tracking: UserTracking, at now: Duration) {
        // A circle larger than the map would be useless.
        let span = automaticSpan.follow(max(frame.span, 3 * frame.horizontalAccuracy), at: now)
        var camera = camera ?? TerminalCamera(centre: frame.coordinate, span: span)
        camera.zoom(to: chosenSpan ?? span)
        if tracking.mode != .none {
            camera.move(to: frame.coordinate)
            // Imperceptible angles would make the dots jitter.
            let bearing = tracking.mapBearing(for: frame)
            let isNorthUp = tracking.mode == .follow
            if isNorthUp || abs((bearing - camera.bearing).remainder(dividingBy: 360)) >= 3 { camera.bearing = bearing }
        }
        self.camera = camera
    }

    mutating func pan(right: Double, up: Double) { camera?.pan(right: right / 5, up: up / 5) }

    mutating func zoom(by factor: Double) {
        guard let span = camera?.span else { return }
        camera?.zoom(to: span * factor)
        chosenSpan = camera?.span
    }

    mutating func zoomAutomatically() { chosenSpan = nil }

    mutating func turnNorthUp() { camera?.bearing = 0 }
}
