@testable import LocationDiagnosis
import Testing

@Suite("The receivers of modems", .timeLimit(.minutes(10)))
struct ModemCheckTests {
    private static func row(
        _ severities: [String], _ words: String, _ modems: Evidence<ModemCheck.Modems?>, isEnabled: Bool = true,
        hasRule: Bool? = true, problem: String? = nil
    ) -> Judged<ModemCheck> {
        Judged(ModemCheck(modems: modems, isEnabled: isEnabled), severities, words) {
            $0.hasRule = hasRule
            $0.problem = problem
        }
    }

    private static let silent = Evidence<ModemCheck.Modems?>.seen(.init(hasReceiver: true, isShown: false))
    private static let shown = Evidence<ModemCheck.Modems?>.seen(.init(hasReceiver: true, isShown: true))
    private static let without = Evidence<ModemCheck.Modems?>.seen(.init(hasReceiver: false, isShown: false))

    static let rows: [Judged<ModemCheck>] = [
        row(["ok modem.receiver"], "are not used", .seen(nil), isEnabled: false),
        row(["ok modem.receiver"], "are not used", without, isEnabled: false),
        row(["advice modem.receiver"], "To use it: sudo locationctl sources enable modem", silent, isEnabled: false),
        row(
            ["advice modem.receiver", "advice modem.signals"], "sudo mmcli -m any --location-set-disable-signal", shown,
            isEnabled: false),
        row(["ok modem.receiver"], "is used while a location is needed", silent),
        row(["ok modem.receiver"], "is used", silent, hasRule: nil),
        row(["problem modem.receiver"], "sudo locationctl sources enable modem", silent, hasRule: false),
        row(["problem modem.receiver"], "sudo systemctl enable --now ModemManager", .seen(nil)),
        row(["problem modem.receiver"], "sudo locationctl sources disable modem", without),
        row(
            ["problem modem.receiver"], "mmcli --enable", silent, problem: "Not enabled. To fix it, run: mmcli --enable"
        ),
        row(["problem modem.receiver"], "the service reports: It is silent", silent, problem: "It is silent."),
        row(["notChecked modem.receiver"], "not checked: no bus", .hidden("no bus")),
    ]

    @Test("each state of modems leads to its findings", arguments: rows)
    func findings(row: Judged<ModemCheck>) { row.verify() }
}
