import LocationDiagnosis
import Testing

@testable import locationctl

@Suite("Sources at the command line", .timeLimit(.minutes(10)))
struct SourcesTests {
    @Test(
        "Wi-Fi positioning without NetworkManager is shown as waiting for it, with the command",
        arguments: [
            ("active", "loaded", nil), ("inactive", "loaded", "sudo systemctl enable --now NetworkManager"),
            ("inactive", "not-found", "sudo apt install network-manager"),
        ] as [(String, String, String?)])
    func withoutNetworkManager(active: String, load: String, command: String?) {
        var unit = UnitState("NetworkManager.service")
        (unit.activeState, unit.loadState) = (active, load)
        let sentence = SourcesEnableWiFi.missing(.seen(unit)).first
        #expect((sentence == nil) == (command == nil))
        if let command { #expect(sentence?.hasSuffix("run: \(command)") == true) }
        #expect(SourcesEnableWiFi.missing(.hidden("no systemd")).isEmpty)
    }
}
