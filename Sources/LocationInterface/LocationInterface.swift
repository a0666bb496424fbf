public import LocationModel

/// `org.locationd.Location`: the user's location, for authorized clients.
public enum LocationInterface {
    /// Returns the current location, or the next one.
    public enum GetLocation: InterfaceMethod {
        /// `org.locationd.Location.GetLocation`
        public static let name = "org.locationd.Location.GetLocation"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The longest time to wait for a fix, in seconds: above 0, at most 3600; 30 if absent.
            public var timeout: Double?
            /// The accuracy to wait for, in metres above 0. If no location reaches it in time, the reply has the most
            /// accurate one that is still fresh.
            public var desiredAccuracy: Double?

            /// Parameters; absent ones have their defaults.
            public init(timeout: Double? = nil, desiredAccuracy: Double? = nil) {
                self.timeout = timeout
                self.desiredAccuracy = desiredAccuracy
            }
        }

        /// The reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The location.
            public var location: Location

            /// A reply with this location.
            public init(location: Location) { self.location = location }
        }
    }

    /// Streams locations.
    public enum Subscribe: InterfaceMethod {
        /// `org.locationd.Location.Subscribe`
        public static let name = "org.locationd.Location.Subscribe"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The minimum distance from the last delivered location, in metres from 0.
            public var distanceFilter: Double?
            /// The minimum time after the last delivered location, in seconds from 0 to a day.
            public var minimumInterval: Double?
            /// The largest `horizontalAccuracy` to deliver, in metres above 0. Locations of unknown accuracy are delivered.
            public var desiredAccuracy: Double?
            /// True for headings as well.
            public var heading: Bool?
            /// The minimum difference from the last delivered heading, in degrees from 0 to 180.
            public var headingFilter: Double?
            /// True for headings without locations.
            public var headingOnly: Bool?
            /// True to pause while the user stays in one place.
            public var pausesLocationUpdatesAutomatically: Bool?
            /// True for only those locations that are 500 m from the last delivered one, or five minutes after it. Needs
            /// *always*.
            public var significantChanges: Bool?

            /// Parameters for every location and no headings.
            public init() {}
        }

        /// One reply: a location, a heading or a diagnostic.
        public struct Reply: Codable, Hashable, Sendable {
            /// A location.
            public var location: Location?
            /// A heading.
            public var heading: Heading?
            /// The reason for having no locations now, or reduced ones.
            public var diagnostic: Diagnostic?
            /// The cause of the diagnostic, if it is known.
            public var cause: Cause?
            /// The number of locations skipped before this reply because the client read too slowly; absent for none.
            public var skipped: Int?

            /// A reply with a location.
            public init(location: Location, skipped: Int? = nil) {
                self.location = location
                self.skipped = skipped
            }

            /// A reply with a heading.
            public init(heading: Heading) { self.heading = heading }

            /// A reply with a diagnostic.
            public init(diagnostic: Diagnostic, cause: Cause? = nil, skipped: Int? = nil) {
                self.diagnostic = diagnostic
                self.cause = cause
                self.skipped = skipped
            }
        }
    }

    /// Streams the user's movement for a screen that redraws more often than a receiver reports.
    public enum Follow: InterfaceMethod {
        /// `org.locationd.Location.Follow`
        public static let name = "org.locationd.Location.Follow"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The number of frames a second: 1 to 60; 30 if absent.
            public var rate: Int?

            /// A request for this rate.
            public init(rate: Int? = nil) { self.rate = rate }
        }

        /// One reply: a frame or a diagnostic.
        public struct Reply: Codable, Hashable, Sendable {
            /// The frame to show now.
            public var frame: TrackingFrame?
            /// The reason for having no frames now, or reduced ones.
            public var diagnostic: Diagnostic?
            /// The cause of the diagnostic, if it is known.
            public var cause: Cause?
            /// The number of frames skipped before this reply because the client read too slowly; absent for none.
            public var skipped: Int?

            /// A reply with a frame.
            public init(frame: TrackingFrame, skipped: Int? = nil) {
                self.frame = frame
                self.skipped = skipped
            }

            /// A reply with a diagnostic.
            public init(diagnostic: Diagnostic, cause: Cause? = nil, skipped: Int? = nil) {
                self.diagnostic = diagnostic
                self.cause = cause
                self.skipped = skipped
            }
        }
    }

    /// The reason why a subscription receives no locations, or reduced ones. It stays open and resumes by itself.
    public typealias Diagnostic = LocationDiagnostic
    /// The cause of a diagnostic or a refusal.
    public typealias Cause = LocationCause
    /// The reason in a cause.
    public typealias Reason = LocationReason

    /// No fix came in time.
    public struct LocationUnavailable: InterfaceError {
        /// `org.locationd.Location.LocationUnavailable`
        public static let name = "org.locationd.Location.LocationUnavailable"
        /// A sentence for people.
        public var reason: String

        /// The error with this reason.
        public init(reason: String) { self.reason = reason }
    }

    /// A limit is reached: one of the configuration, or one of the fixed limits `AgentsPerUser` and `ActivitiesPerUser`.
    public struct LimitExceeded: InterfaceError {
        /// `org.locationd.Location.LimitExceeded`
        public static let name = "org.locationd.Location.LimitExceeded"
        /// The name of the limit; for one of the configuration its key, such as `SubscriptionsPerUser`.
        public var limit: String
        /// Its value.
        public var value: Int

        /// The error for this limit.
        public init(limit: String, value: Int) {
            self.limit = limit
            self.value = value
        }
    }

    /// The service is stopping. It may start again at once.
    public struct ServiceStopping: InterfaceError {
        /// `org.locationd.Location.ServiceStopping`
        public static let name = "org.locationd.Location.ServiceStopping"

        /// The only value.
        public init() {}
    }
}
