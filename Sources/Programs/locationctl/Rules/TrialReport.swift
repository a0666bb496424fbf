import CommandLineSupport
import LocationModel
import LocationPolicy

/// The locations of a track that a client would have received.
struct TrialReport {
    let client: ClientDeclaration
    private let setting: TrialSetting
    let spans: [AccessTrial.Span]

    init(_ client: ClientDeclaration, _ setting: TrialSetting, _ trial: AccessTrial) {
        (self.client, self.setting, spans) = (client, setting, trial.spans)
    }

    /// The reports of all clients, for people.
    static func lines(_ reports: [TrialReport], _ locations: [Location]) -> [String] {
        guard let first = locations.first, let last = locations.last else { return ["The track has no points."] }
        var lines = [
            "Played \(locations.count) locations from \(time(first.timestamp)) to \(time(last.timestamp)), as if you had "
                + "allowed every client at any time."
        ]
        for report in reports {
            let name = report.client.displayName
            let identifier = report.client.identifier
            lines += ["", (name == identifier ? identifier : "\(identifier) (\(name))").shown(limit: 512)]
            lines += Table.lines(
                ["from", "to", "receives", "locations", "because"],
                report.spans.map { span in
                    [
                        time(span.start), time(span.end), report.words(of: span), "\(span.delivered.count)",
                        report.reason(of: span),
                    ]
                },
                width: Terminal.outputWidth.map { $0 - 2 }, wrapping: 4
            ).map { "  " + $0 }
        }
        return lines
    }

    private static func time(_ time: Timestamp) -> String { Clock.local.text(time) }

    private func words(of span: AccessTrial.Span) -> String {
        let interval = span.evaluation.interval.map { " at most every \($0.value.components.seconds) s" } ?? ""
        return switch span.part {
        case .exact: "exact location\(interval)"
        case .approximate: "approximate (about 5 km)\(interval)"
        case .nothing: "nothing"
        }
    }

    /// The rules that decide or, without one, the other reason.
    private func reason(of span: AccessTrial.Span) -> String {
        let rules = span.evaluation.decisiveRules.map { rule in
            "rule \(rule.id)\(rule.isInDoubt ? ", in doubt" : "") (\(setting.sentence(of: rule.id, client)))"
        }
        return rules.isEmpty ? other(span.evaluation) : rules.joined(separator: "; ")
    }

    private func other(_ evaluation: AccessEvaluation) -> String {
        switch evaluation.access {
        case .permitted(.full): return ""
        case .permitted(.reduced):
            return evaluation.accuracyRule == .maximum ? "Policy.MaximumAccuracy" : "NSLocationDefaultAccuracyReduced"
        case .suspended: return "not in use (see --in-use)"
        case .undecided, .refused:
            return evaluation.statusRule == .restriction ? "Policy.Restricted" : ""
        }
    }

    // MARK: For programs

    struct Object: Encodable {
        struct Rule: Encodable {
            var id: String
            var sentence: String
            var isInDoubt: Bool
        }

        struct Span: Encodable {
            var from, to: Timestamp
            var receives: AccessTrial.Part
            var count: Int
            var minimumInterval: Int?
            var rules: [Rule]
            /// The client, where the span stands alone.
            var client: String?
        }

        var client: String
        var spans: [Span]
    }

    var object: Object { Object(client: client.identifier, spans: spans.map(object)) }

    /// The reports as GeoJSON: of each span the locations that the client receives or, where it receives nothing, those of the
    /// track.
    static func features(_ reports: [TrialReport]) -> GeoJSONCollection<Object.Span> {
        let features = reports.flatMap { report in
            report.spans.compactMap { span -> GeoJSONFeature<Object.Span>? in
                let coordinates = span.part == .nothing ? span.track : span.delivered.map(\.coordinate)
                // Approximate locations may be due in another span only.
                guard !coordinates.isEmpty else { return nil }
                var properties = report.object(span)
                properties.client = report.client.identifier
                return GeoJSONFeature(coordinates.map { [$0.longitude, $0.latitude] }, properties)
            }
        }
        return GeoJSONCollection(features)
    }

    private func object(_ span: AccessTrial.Span) -> Object.Span {
        Object.Span(
            from: span.start, to: span.end, receives: span.part, count: span.delivered.count,
            minimumInterval: span.evaluation.interval.map { Int($0.value.components.seconds) },
            rules: span.evaluation.decisiveRules.map {
                Object.Rule(
                    id: "\($0.id)", sentence: setting.sentence(of: $0.id, client), isInDoubt: $0.isInDoubt)
            })
    }
}
