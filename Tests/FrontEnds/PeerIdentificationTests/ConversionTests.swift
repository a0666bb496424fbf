import Testing

@testable import PeerIdentification

@Suite(.timeLimit(.minutes(10))) struct ConversionTests {
    @Test(
        "the application id is read from the scope of a Flatpak sandbox",
        arguments: [
            ("app-flatpak-org.example.App-123.scope", "org.example.App"),
            (#"app-flatpak-org.example.My\x2dApp-1.scope"#, "org.example.My-App"),
            ("app-flatpak-org.example.App-x.scope", nil), ("app-flatpak--1.scope", nil),
            ("app-gnome-org.example.App-123.scope", nil), ("app-flatpak-org.example.App-123.service", nil),
        ] as [(String, String?)])
    func flatpakID(unit: String, expected: String?) {
        #expect(ProcessEvidence.flatpakID(ofUnit: unit) == expected)
    }

    @Test(
        "security labels lose AppArmor's mode, and unconfined processes have none",
        arguments: [
            ("firefox (enforce)", "firefox"), ("unconfined", nil), ("", nil),
            ("system_u:system_r:weather_t:s0", "system_u:system_r:weather_t:s0"),
        ] as [(String, String?)])
    func securityLabel(text: String, expected: String?) {
        #expect(SecurityLabel.name(text) == expected)
    }
}
