@testable import LocationDiagnosis
import Testing

@Suite("Requirements of Wi-Fi positioning", .timeLimit(.minutes(10)))
struct WiFiCheckTests {
    private static func row(
        _ expected: String, _ words: String, _ change: (inout WiFiCheck) -> Void = { _ in }
    ) -> (WiFiCheck, String, String) {
        var check = WiFiCheck(
            socketUnit: .seen(UnitState("locationd-network.socket")), server: .seen("server.example"),
            isScanPermitted: .seen(true), accessPoints: .seen(.init(count: 8, usable: 2, invented: 0)))
        change(&check)
        return (check, expected, words)
    }

    static let rows: [(WiFiCheck, String, String)] = [
        row("ok wifi.program", "started when it is needed"),
        row("ok wifi.server", "server.example is asked"),
        row("ok wifi.permission", "may have NetworkManager scan"),
        row("ok wifi.accessPoints", "2 of 8"),
        row("problem wifi.program", "sudo apt install ./locationd-network_*.deb") { $0.isProgramInstalled = false },
        row("problem wifi.program", "sudo systemctl enable --now locationd-network.socket") {
            var unit = UnitState("locationd-network.socket")
            unit.activeState = "inactive"
            $0.socketUnit = .seen(unit)
        },
        row("notChecked wifi.program", "no systemd") { $0.socketUnit = .hidden("no systemd") },
        row("problem wifi.server", "no server is named") { $0.server = .seen(nil) },
        row("problem wifi.server", "is refused: chmod go-w") { $0.server = .hidden("chmod go-w") },
        row("advice wifi.server", "failed: server.example knows none") { $0.lastError = "server.example knows none" },
        row("problem wifi.permission", "sudo locationctl sources enable wifi") { $0.isScanPermitted = .seen(false) },
        row("notChecked wifi.permission", "needs root") { $0.isScanPermitted = .hidden("needs root") },
        row("problem wifi.accessPoints", "wpa_supplicant in place of iwd") {
            $0.accessPoints = .seen(.init(count: 9, usable: 1, invented: 8))
        },
        row("advice wifi.accessPoints", "0 access points are known") {
            $0.accessPoints = .seen(.init(count: 0, usable: 0, invented: 0))
        },
        row("notChecked wifi.accessPoints", "NetworkManager is not running") {
            $0.accessPoints = .hidden("NetworkManager is not running")
        },
    ]

    @Test("lead to their findings", arguments: rows)
    func findings(check: WiFiCheck, expected: String, words: String) throws {
        let finding = try #require(check.findings.first { "\($0.severity.rawValue) \($0.topic.rawValue)" == expected })
        #expect("\(finding.found) \(finding.remedy ?? "")".contains(words))
    }
}
