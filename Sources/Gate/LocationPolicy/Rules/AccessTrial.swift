public import LocationModel

/// Plays locations against the evaluation of access: what one client would be given of them.
///
/// Evaluation, pace and reduction are those of the service, and nothing is delivered. The zones of places are drawn by a secret
/// of the trial's own, so it does not reveal where those of the service are.
public struct AccessTrial {
    /// The part of a location that a client is given.
    public enum Part: String, Hashable, Sendable, Codable {
        /// The exact location.
        case exact
        /// An approximate location.
        case approximate
        /// Nothing.
        case nothing
    }

    /// A time in which the client is given the same part, by the same rules.
    public struct Span: Sendable {
        /// The part that it is given of each location, as far as the pace allows.
        public let part: Part
        /// The evaluation at the start.
        public let evaluation: AccessEvaluation
        /// The time of the first location.
        public let start: Timestamp
        /// The time of the last location.
        public fileprivate(set) var end: Timestamp
        /// The locations that the client is given.
        public fileprivate(set) var delivered: [Location] = []
        /// The coordinates of all locations.
        public fileprivate(set) var track: [Coordinate] = []
    }

    /// The spans, in order.
    public private(set) var spans: [Span] = []
    private let authorization: ClientAuthorization
    private let zones: [String: ConcealedZone]
    private let circumstances: AccessCircumstances
    private let utcOffset: (Timestamp) -> Int
    private var pace = DeliveryPace()
    private var reduction = AccuracyReduction(secret: Self.secret)
    private var number: UInt64 = 0
    private let origin = ContinuousClock.now
    private var start: Timestamp?

    private static let secret: AccuracyReduction.Secret = {
        var generator = TrialGenerator()
        return AccuracyReduction.Secret(using: &generator)
    }()

    /// A trial with a client.
    ///
    /// - Parameters:
    ///   - places: The places that rules may name.
    ///   - circumstances: Use, need and surroundings, of which time and placements follow the locations.
    ///   - utcOffset: The seconds by which local time is ahead of UTC at a moment.
    public init(
        _ authorization: ClientAuthorization, places: some Sequence<NamedPlace>, in circumstances: AccessCircumstances,
        utcOffset: @escaping (Timestamp) -> Int
    ) {
        self.authorization = authorization
        self.circumstances = circumstances
        self.utcOffset = utcOffset
        zones = Dictionary(places.map { ($0.name, ConcealedZone($0, secret: Self.secret)) }, uniquingKeysWith: { $1 })
    }

    /// Takes the next location.
    public mutating func receive(_ location: Location) {
        let begun = start ?? location.timestamp
        start = begun
        // The pace goes by a clock that is never set.
        let instant = origin + max(.zero, location.timestamp.duration(since: begun))
        number += 1
        var now = circumstances
        now.surroundings.localTime = LocalTime(location.timestamp, utcOffset: utcOffset(location.timestamp))
        now.surroundings.placements = zones.mapValues {
            $0.placement(of: location.coordinate, accuracy: location.horizontalAccuracy)
        }
        let evaluation = authorization.evaluate(now)
        let part: Part =
            switch evaluation.view.release {
            case .full: .exact
            case .reduced: .approximate
            case nil: .nothing
            }
        if let last = spans.last, last.part == part, last.evaluation.decisiveRules == evaluation.decisiveRules,
            last.evaluation.view == evaluation.view
        {
            spans[spans.count - 1].end = location.timestamp
        } else {
            spans.append(Span(part: part, evaluation: evaluation, start: location.timestamp, end: location.timestamp))
        }
        spans[spans.count - 1].track.append(location.coordinate)
        guard part != .nothing, pace.allows(number, at: instant, interval: evaluation.interval?.value) else { return }
        let delivered = part == .exact ? location : reduction.reduce(location, at: instant)
        guard let delivered else { return }
        pace.delivered(number, at: instant)
        spans[spans.count - 1].delivered.append(delivered)
    }
}

/// The same numbers in each trial, so that trials can be compared.
private struct TrialGenerator: RandomNumberGenerator {
    private var state: UInt64 = 0

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
