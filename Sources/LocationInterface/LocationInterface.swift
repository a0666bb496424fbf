public import LocationModel

/// `org.locationd.Location`: where the user is, for clients that may know.
public enum LocationInterface {
    /// The location now, or the next one.
    public enum GetLocation: InterfaceMethod {
        /// `org.locationd.Location.GetLocation`
        public static let name = "org.locationd.Location.GetLocation"

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The longest to wait for a fix, in seconds: above 0 to 3600; 30 when absent.
            public var timeout: Double?
            /// Wait for a fix at least so exact, in metres, above 0; when the time is up the best that came will do.
            public var desiredAccuracy: Double?

            /// Absent is the default.
            public init(timeout: Double? = nil, desiredAccuracy: Double? = nil) {
                self.timeout = timeout
                self.desiredAccuracy = desiredAccuracy
            }
        }

        /// The answer.
        public struct Reply: Codable, Hashable, Sendable {
            /// The location.
            public var location: Location

            /// An answer with this location.
            public init(location: Location) { self.location = location }
        }
    }

    /// Locations as they come.
    public enum Subscribe: InterfaceMethod {
        /// `org.locationd.Location.Subscribe`
        public static let name = "org.locationd.Location.Subscribe"

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Leave out locations nearer than this to the last one delivered, in metres from 0.
            public var distanceFilter: Double?
            /// Leave out locations that follow the last one delivered sooner than this, in seconds from 0 to a day.
            public var minimumInterval: Double?
            /// Leave out locations known to be less exact than this, in metres above 0.
            public var desiredAccuracy: Double?
            /// Send headings too.
            public var heading: Bool?
            /// Leave out headings that differ less than this from the last one delivered, in degrees from 0 to 180.
            public var headingFilter: Double?
            /// Send headings and no locations; for a call with `heading`.
            public var headingOnly: Bool?
            /// Pause while the user stays in one place.
            public var pausesLocationUpdatesAutomatically: Bool?
            /// Only locations 500 m from the last one delivered, or five minutes after it; for clients that may always
            /// know.
            public var significantChanges: Bool?

            /// Absent is the default, set what is not: every location, and no headings.
            public init() {}
        }

        /// One of the answers: a location, a heading or a diagnostic.
        public struct Reply: Codable, Hashable, Sendable {
            /// A location.
            public var location: Location?
            /// A heading.
            public var heading: Heading?
            /// Why there are no locations now, or no exact ones.
            public var diagnostic: Diagnostic?
            /// Why the diagnostic holds, where that is known.
            public var cause: Cause?
            /// How many locations the client missed before this one because it read too slowly; absent for none.
            public var skipped: Int?

            /// An answer with a location.
            public init(location: Location, skipped: Int? = nil) {
                self.location = location
                self.skipped = skipped
            }

            /// An answer with a heading.
            public init(heading: Heading) { self.heading = heading }

            /// An answer with a diagnostic.
            public init(diagnostic: Diagnostic, cause: Cause? = nil, skipped: Int? = nil) {
                self.diagnostic = diagnostic
                self.cause = cause
                self.skipped = skipped
            }
        }
    }

    /// The user's way for a screen that redraws more often than a receiver reports.
    public enum Follow: InterfaceMethod {
        /// `org.locationd.Location.Follow`
        public static let name = "org.locationd.Location.Follow"

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Frames a second: 1 to 60; 30 when absent.
            public var rate: Int?

            /// So many frames a second.
            public init(rate: Int? = nil) { self.rate = rate }
        }

        /// One of the answers: a frame or a diagnostic.
        public struct Reply: Codable, Hashable, Sendable {
            /// What to show now.
            public var frame: TrackingFrame?
            /// Why there are no frames now, or no exact ones.
            public var diagnostic: Diagnostic?
            /// Why the diagnostic holds, where that is known.
            public var cause: Cause?
            /// How many frames the client missed before this one because it read too slowly; absent for none.
            public var skipped: Int?

            /// An answer with a frame.
            public init(frame: TrackingFrame, skipped: Int? = nil) {
                self.frame = frame
                self.skipped = skipped
            }

            /// An answer with a diagnostic.
            public init(diagnostic: Diagnostic, cause: Cause? = nil, skipped: Int? = nil) {
                self.diagnostic = diagnostic
                self.cause = cause
                self.skipped = skipped
            }
        }
    }

    /// Why a subscription is not receiving locations, or not exact ones. It stays open and resumes by itself.
    ///
    /// The names are those of Core Location's `CLLocationUpdate`.
    public enum Diagnostic: String, Codable, Hashable, Sendable, CaseIterable {
        /// The user is being asked; the answer follows.
        case authorizationRequestInProgress
        /// The user said no, or nobody may be asked.
        case authorizationDenied
        /// A policy forbids it and the user cannot change that.
        case authorizationRestricted
        /// The client is not in use, and may know only while it is.
        case insufficientlyInUse
        /// The client may know only roughly where the user is.
        case accuracyLimited
        /// The user has not moved for a while and the subscription pauses meanwhile.
        case stationary
        /// There is no fix: no receiver, no satellites, no gpsd.
        case locationUnavailable
    }

    /// No fix came in time.
    public struct LocationUnavailable: InterfaceError {
        /// `org.locationd.Location.LocationUnavailable`
        public static let name = "org.locationd.Location.LocationUnavailable"
        /// A sentence for people.
        public var reason: String

        /// No fix, because of `reason`.
        public init(reason: String) { self.reason = reason }
    }

    /// A limit is reached: one of the configuration, or `AgentsPerUser` or `ActivitiesPerUser`, which are as they are.
    public struct LimitExceeded: InterfaceError {
        /// `org.locationd.Location.LimitExceeded`
        public static let name = "org.locationd.Location.LimitExceeded"
        /// Its name; where it is one of the configuration, its key there, such as `SubscriptionsPerUser`.
        public var limit: String
        /// Its value.
        public var value: Int

        /// `limit` allows no more than `value`.
        public init(limit: String, value: Int) {
            self.limit = limit
            self.value = value
        }
    }

    /// The service is ending; it may be back at once.
    public struct ServiceStopping: InterfaceError {
        /// `org.locationd.Location.ServiceStopping`
        public static let name = "org.locationd.Location.ServiceStopping"

        /// The only value.
        public init() {}
    }
}
