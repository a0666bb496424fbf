package import LocationModel

/// The parameters of a subscription for locations.
package struct SubscriptionOptions: Hashable, Sendable {
    /// The distance in metres from the last delivered location; 0 to 100,000,000.
    package var distanceFilter = 0.0
    /// The interval in seconds from the last delivered location; 0 to 86,400.
    package var minimumInterval = 0.0
    /// The rule for locations that are left out because the last delivered one predicts them; `nil` for none.
    package var thinning: Thinning?
    /// The largest radius of a delivered location in metres, above 0 to 100,000,000; `nil` for any.
    package var desiredAccuracy: Double?
    /// True to deliver headings, too.
    package var heading = false
    /// The difference in degrees from the last delivered heading; 0 to 180.
    package var headingFilter = 0.0
    /// True to deliver headings only.
    package var headingOnly = false
    /// True to pause while the user is stationary.
    package var pausesAutomatically = false
    /// True to deliver significant changes only.
    package var significantChanges = false
    /// The highest accuracy that the peer requests, whatever it may have.
    package var accuracy = AccuracyAuthorization.full

    package init() {}

    func validate() throws(Refusal) {
        try Refusal.check(distanceFilter, "distanceFilter") { $0 >= 0 && $0 <= 1e8 }
        try Refusal.check(minimumInterval, "minimumInterval") { $0 >= 0 && $0 <= 86_400 }
        try Refusal.check(thinning?.maximumError, "maximumError") { $0 >= 1 && $0 <= 1000 }
        try Refusal.check(thinning?.maximumInterval, "maximumInterval") { $0 >= 1 && $0 <= 3600 }
        try Refusal.check(desiredAccuracy, "desiredAccuracy") { $0 > 0 && $0 <= 1e8 }
        try Refusal.check(headingFilter, "headingFilter") { $0 >= 0 && $0 <= 180 }
    }
}
