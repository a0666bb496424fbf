public import LocationModel

/// The tracking mode of a view that follows the user.
///
/// The modes, and the effects of gestures on them, are those of MapKit's `MKUserTrackingMode` and
/// `MKUserTrackingButton`. This is a state machine: it receives updates and gestures, and returns the events to show.
/// It draws nothing and makes no requests.
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
    /// The way in which a view follows the user.
    public enum Mode: String, Codable, Hashable, Sendable, CaseIterable {
        /// The view does not follow.
        case none
        /// The user is at the centre; north is up.
        case follow
        /// The user is at the centre; the compass heading is up, or the course while there is no heading.
        case followWithHeading
        /// The user is at the centre; the course is up.
        case followWithCourse
    }

    /// A gesture of the user.
    public enum Gesture: Hashable, Sendable, CaseIterable {
        /// Moves the map away from the user's location.
        case pan
        /// Changes the scale.
        case zoom
        /// Rotates the map.
        case rotate
        /// Presses the tracking button.
        case button
    }

    /// The reason for a change of mode.
    public enum Reason: Hashable, Sendable {
        /// The program selected it.
        case selected
        /// The user made this gesture.
        case gesture(Gesture)
        /// The heading is no longer available, although the location is.
        case headingLost
    }

    /// A change to show besides the frame.
    public enum Event: Hashable, Sendable {
        /// The mode changed.
        case modeChanged(from: Mode, to: Mode, reason: Reason)
        /// The location was lost. The mode stays, and takes effect again when a location arrives.
        case locationLost
        /// A location arrived, the first or one after `locationLost`.
        case locationFound
    }

    /// The tracking mode.
    public private(set) var mode: Mode
    /// True if the last update had a location. At first false.
    public private(set) var isLocationAvailable = false
    /// True if the last update had a compass heading. At first false.
    public private(set) var isHeadingAvailable = false

    /// Creates a tracking state in `mode`, by default `none`.
    public init(mode: Mode = .none) {
        self.mode = mode
    }

    /// Selects a mode, and returns the events. The mode `followWithHeading` waits for the first heading, with the course up.
    public mutating func select(_ mode: Mode) -> [Event] {
        change(to: mode, .selected)
    }

    /// Applies a gesture, and returns the events.
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

    /// Applies an update of the service, and returns the events. Without a frame there is no heading either.
    public mutating func receive(_ update: FollowUpdate) -> [Event] {
        if let frame = update.frame {
            let (hadLocation, hadHeading) = (isLocationAvailable, isHeadingAvailable)
            isLocationAvailable = true
            isHeadingAvailable = frame.heading != nil
            let isHeadingLost = mode == .followWithHeading && hadHeading && !isHeadingAvailable
            return (hadLocation ? [] : [.locationFound]) + (isHeadingLost ? change(to: .follow, .headingLost) : [])
        }
        // An update about reduced accuracy does not end the location: its frame follows.
        guard isLocationAvailable, !update.accuracyLimited else { return [] }
        isLocationAvailable = false
        // The compass may start later than the receiver again.
        isHeadingAvailable = false
        return [.locationLost]
    }

    /// Returns the direction that is up on the map, in degrees clockwise from true north; 0 unless the mode rotates the
    /// map, or while the direction is unknown.
    public func mapBearing(for frame: TrackingFrame) -> Double {
        switch mode {
        case .none, .follow: 0
        case .followWithHeading: frame.heading ?? frame.bearing ?? 0
        case .followWithCourse: frame.bearing ?? 0
        }
    }

    private mutating func change(to new: Mode, _ reason: Reason) -> [Event] {
        guard new != mode else { return [] }
        defer { mode = new }
        return [.modeChanged(from: mode, to: new, reason: reason)]
    }
}
