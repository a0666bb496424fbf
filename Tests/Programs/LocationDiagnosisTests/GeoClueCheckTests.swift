@testable import LocationDiagnosis
import Testing

@Suite("Programs that ask GeoClue", .timeLimit(.minutes(10)))
struct GeoClueCheckTests {
    private static func row(
        _ severity: String, _ words: String, _ owner: GeoClueCheck.Owner, isStartedByBus: Bool = true,
        isEnabled: Bool = true, hasSource: Bool = true, isGeoClueInstalled: Bool = true,
        problem: String? = nil
    ) -> Judged<GeoClueCheck> {
        Judged(
            GeoClueCheck(owner: .seen(owner)), ["\(severity) geoclue.name"], words
        ) {
            $0.isStartedByBus = isStartedByBus
            $0.isEnabled = isEnabled
            $0.hasSource = hasSource
            $0.isGeoClueInstalled = isGeoClueInstalled
            $0.problem = problem
        }
    }

    static let rows: [Judged<GeoClueCheck>] = [
        row("ok", "ask locationd; to give GeoClue its name back: sudo locationctl geoclue off", .locationd),
        row("ok", "start locationd", .nobody),
        row("advice", "while it does not run they start GeoClue", .locationd, isStartedByBus: false),
        row("advice", "sudo locationctl geoclue on", .nobody, isStartedByBus: false),
        row("advice", "geoclue.service answers", .other("geoclue.service")),
        row("advice", "sudo locationctl geoclue on", .other("geoclue.service"), isStartedByBus: false),
        // What the service reports of itself.
        row(
            "problem", "systemctl reload dbus.service && sudo systemctl reload locationd.service", .nobody,
            problem: "No."),
        row("problem", "locationd reports: No.", .locationd, problem: "No."),
        row("advice", "waits behind it", .other("geoclue.service"), problem: "No."),
        row("problem", "sudo locationctl geoclue off", .nobody, isEnabled: false),
        row("ok", "to change that: sudo locationctl geoclue on", .nobody, isStartedByBus: false, isEnabled: false),
        row("ok", "do not ask locationd", .other("geoclue.service"), isStartedByBus: false, isEnabled: false),
        // Without a source of locations.
        row("advice", "until it has one, run: sudo locationctl geoclue off", .locationd, hasSource: false),
        row("advice", "which has no source of locations", .nobody, hasSource: false),
        row("ok", "start locationd", .nobody, hasSource: false, isGeoClueInstalled: false),
        row(
            "ok", "which has no source", .nobody, isStartedByBus: false, isEnabled: false, hasSource: false),
    ]

    @Test("each owner of GeoClue's name leads to its findings", arguments: rows)
    func findings(row: Judged<GeoClueCheck>) { row.verify() }

    @Test("without a system bus the check is skipped with the reason")
    func withoutABus() {
        let check = GeoClueCheck(owner: .hidden("no bus"))
        #expect(check.short == ["notChecked geoclue.name"])
    }
}
