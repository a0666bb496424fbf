package import LocationSources

// The doubts about the positions of a receiver, as sentences with remedies.

extension SourceDoubt {
    /// The sign and its remedy.
    package var sentence: String {
        switch sign {
        case .jamming(let level):
            "It measures interference (\(level) of 255): move the antenna away from transmitters and from USB 3 devices and cables."
        case .antennaFault:
            "It reports an open or a short circuit of its antenna: check the antenna, its plug and its cable."
        case .jump(let metres, let seconds):
            "Its position jumped by \(Self.distance(metres)) in \(Self.time(seconds)). It may be wrong since then: compare it with a "
                + "map."
        case .timeStep(let seconds):
            "Its time jumped \(seconds < 0 ? "back" : "forward") by \(Self.time(abs(seconds))). Its signals may be a recording: "
                + "compare its position with a map."
        case .disagreement(let metres, let source):
            "It is \(Self.distance(metres)) from the position of \(source): one of the two is wrong. Compare them with a map."
        }
    }

    private static func distance(_ metres: Double) -> String {
        metres < 10_000 ? "\(Int(metres.rounded())) m" : "\(Int((metres / 1000).rounded())) km"
    }

    private static func time(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: "\(Int(seconds.rounded())) s"
        case ..<7200: "\(Int((seconds / 60).rounded())) minutes"
        case ..<172_800: "\(Int((seconds / 3600).rounded())) hours"
        default: "\(Int((seconds / 86_400).rounded())) days"
        }
    }
}
