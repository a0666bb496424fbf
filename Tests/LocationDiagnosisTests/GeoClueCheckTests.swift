import LocationDiagnosis
import Testing

@Suite("Programs that ask GeoClue", .timeLimit(.minutes(5)))
struct GeoClueCheckTests {
    private static func row(
        _ severity: String, _ words: String, _ owner: GeoClueCheck.Owner, isStartedByBus: Bool = true,
        isEnabled: Bool = true, problem: String? = nil
    ) -> Judged<GeoClueCheck> {
        Judged(
            GeoClueCheck(owner: .seen(owner), configurationFile: "/etc/l.plist"), ["\(severity) geoclue.name"], words
        ) {
            $0.isStartedByBus = isStartedByBus
            $0.isEnabled = isEnabled
            $0.problem = problem
        }
    }

    static let rows: [Judged<GeoClueCheck>] = [
        row("ok", "ask locationd; to give GeoClue its name back: GeoClue.Enabled = false in /etc/l.plist", .locationd),
        row("ok", "start locationd", .nobody),
        row("advice", "while it does not run they start GeoClue", .locationd, isStartedByBus: false),
        row("advice", "sudo systemctl enable locationd.service", .nobody, isStartedByBus: false),
        row("advice", "geoclue.service answers", .other("geoclue.service")),
        row("advice", "sudo systemctl enable", .other("geoclue.service"), isStartedByBus: false),
        // What the service reports of itself.
        row(
            "problem", "systemctl reload dbus.service && sudo systemctl reload locationd.service", .nobody,
            problem: "No."),
        row("problem", "locationd reports: No.", .locationd, problem: "No."),
        row("advice", "waits behind it", .other("geoclue.service"), problem: "No."),
        row("problem", "sudo systemctl disable locationd.service", .nobody, isEnabled: false),
        row("ok", "as /etc/l.plist says", .nobody, isStartedByBus: false, isEnabled: false),
        row("ok", "as /etc/l.plist says", .other("geoclue.service"), isStartedByBus: false, isEnabled: false),
    ]

    @Test("the owner of GeoClue's name leads to these findings", arguments: rows)
    func findings(row: Judged<GeoClueCheck>) { row.verify() }

    @Test("without a system bus the check is skipped with the reason")
    func withoutABus() {
        let check = GeoClueCheck(owner: .hidden("no bus"), configurationFile: "")
        #expect(check.short == ["notChecked geoclue.name"])
    }
}
