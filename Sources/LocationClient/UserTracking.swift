public import LocationModel

/// How a screen follows the user, and what changes that.
///
/// The modes and what gestures do to them are those of MapKit's `MKUserTrackingMode` and `MKUserTrackingButton`. This is
/// a state machine: tell it what happens, and it says what changed and why. It draws nothing and asks nobody.
///
/// ```swift
/// var tracking = UserTracking(mode: .follow)
/// for try await update in manager.followUpdates() {
///     for event in tracking.receive(update) { show(event) }
///     guard let frame = update.frame else { continue }
///     if tracking.mode != .none { map.center = frame.coordinate }
///     map.bearing = tracking.mapBearing(for: frame)
/// }
/// ```
public struct UserTracking: Hashable, Sendable {
    /// How a screen follows the user.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// It stays where it is.
        case none
        /// The user is in the middle, north is up.
        case follow
        /// The user is in the middle, and up is where the nose points; this takes a compass.
        case followWithHeading
        /// The user is in the middle, and up is the direction of travel.
        case followWithCourse
    }

    /// An action of the person at the screen.
    public enum Gesture: Hashable, Sendable, CaseIterable {
        /// Moves the map away from the user.
        case pan
        /// Shows more or less of the ground.
        case zoom
        /// Turns the map.
        case rotate
        /// Presses the tracking button.
        case button
    }

    /// Why the mode changed.
    public enum Reason: Hashable, Sendable {
        /// The program chose it.
        case selected
        /// The person did this.
        case gesture(Gesture)
        /// There is no heading any more.
        case headingLost
    }

    /// The message to show besides the frame.
    public enum Event: Hashable, Sendable {
        /// The mode changed.
        case modeChanged(from: Mode, to: Mode, reason: Reason)
        /// There is no location now; the mode stays and takes effect again when there is.
        case locationLost
        /// There is a location, the first or one after `locationLost`.
        case locationFound
    }

    /// How the screen follows the user now.
    public private(set) var mode: Mode
    /// Whether frames come now.
    public private(set) var isLocationAvailable = false
    /// Whether the receiver has a compass that works now.
    public private(set) var isHeadingAvailable = false

    /// Tracking that begins in `mode`, or without the heading if that is what the mode takes: nothing has come yet that
    /// says there is one.
    public init(mode: Mode = .none) {
        self.mode = mode == .followWithHeading ? .follow : mode
    }

    /// Chooses a mode. A mode that takes a heading is not to be had without one: it becomes `follow`.
    public mutating func select(_ mode: Mode) -> [Event] {
        change(to: mode, .selected)
    }

    /// Takes in what the person at the screen does.
    public mutating func receive(_ gesture: Gesture) -> [Event] {
        switch (gesture, mode) {
        case (.pan, _): change(to: .none, .gesture(gesture))
        case (.rotate, .followWithHeading), (.rotate, .followWithCourse): change(to: .follow, .gesture(gesture))
        case (.zoom, _), (.rotate, _): []
        case (.button, .none): change(to: .follow, .gesture(gesture))
        case (.button, .follow) where isHeadingAvailable: change(to: .followWithHeading, .gesture(gesture))
        case (.button, _): change(to: .none, .gesture(gesture))
        }
    }

    /// Takes in what the service says. Without a location the heading is no more: it comes with frames.
    public mutating func receive(_ update: FollowUpdate) -> [Event] {
        if let frame = update.frame {
            let wasAvailable = isLocationAvailable
            isLocationAvailable = true
            isHeadingAvailable = frame.heading != nil
            return (wasAvailable ? [] : [.locationFound]) + leaveHeadingIfLost()
        }
        // What is known only roughly is known: a frame comes next.
        guard isLocationAvailable, !update.accuracyLimited else { return [] }
        isLocationAvailable = false
        return [.locationLost]
    }

    /// Which direction is up on the map, in degrees clockwise from true north: 0 unless the mode turns it.
    public func mapBearing(for frame: TrackingFrame) -> Double {
        switch mode {
        case .none, .follow: 0
        case .followWithHeading: frame.heading ?? 0
        case .followWithCourse: frame.bearing ?? 0
        }
    }

    private mutating func leaveHeadingIfLost() -> [Event] {
        guard mode == .followWithHeading, !isHeadingAvailable else { return [] }
        return change(to: .follow, .headingLost)
    }

    private mutating func change(to wanted: Mode, _ reason: Reason) -> [Event] {
        let new = wanted == .followWithHeading && !isHeadingAvailable ? .follow : wanted
        guard new != mode else { return [] }
        defer { mode = new }
        return [.modeChanged(from: mode, to: new, reason: reason)]
    }
}
