import LocationModel
import LocationPolicy
import LocationSources

extension LocationRequest {
    /// The reason why the request gets no location, as sentences.
    ///
    /// - Parameters:
    ///   - hasLocation: true if there is a location that has not gone stale.
    ///   - cause: the reason for having none.
    func reasonForNone(hasLocation: Bool, cause: LocationCause) -> String {
        // One sentence for every absence, since another would tell where the user is.
        guard absence == .explained else {
            return "There is no location for this program now. To find out why, run: locationctl explain "
                + client.key.client
        }
        let evaluation = evaluation
        switch evaluation.view.release {
        case .reduced where hasLocation && evaluation.interval == nil:
            return "The next approximate location is not due yet: this program gets one every 15 minutes at most."
        case .some where hasLocation && evaluation.interval != nil:
            return
                "The next location is not due yet, because a rule sets the shortest time between two. To list the rules, "
                + "run: locationctl rules list"
        case .some, nil:
            return "No fix came in time. \(cause.message)"
        }
    }
}

extension LocationCause {
    /// The reason for having no location before the sources have reported one.
    init(beforeReportOf statuses: [SourceStatus]) {
        let receivers = statuses.filter(\.kind.isReceiver)
        let reason: UnavailableReason =
            if statuses.isEmpty {
                .noSource
            } else if receivers.isEmpty {
                .notLocated
            } else {
                receivers.contains { $0.connection == .connected } ? .starting : .notConnected
            }
        self.init(reason, problem: statuses.problem(for: reason))
    }
}

extension [SourceStatus] {
    /// The last error of a source that this reason concerns, as a sentence.
    func problem(for reason: UnavailableReason?) -> String? {
        lazy.filter { $0.kind.isReceiver != (reason == .notLocated) }.compactMap(\.lastError).first
    }
}
