import LocationSources
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import LocationDaemon
@testable import PeerIdentification
@testable import VarlinkFrontEnd

@Suite struct ConversionTests {
    @Test(
        "gpsd addresses are parsed, and ambiguous ones refused",
        arguments: [
            ("localhost", .tcp(host: "localhost", port: 2947)), ("localhost:1", .tcp(host: "localhost", port: 1)),
            ("127.0.0.1:65535", .tcp(host: "127.0.0.1", port: 65_535)), ("::1", .tcp(host: "::1", port: 2947)),
            ("[::1]", .tcp(host: "::1", port: 2947)), ("[::1]:2948", .tcp(host: "::1", port: 2948)),
            ("/run/gpsd:1.sock", .unix(path: "/run/gpsd:1.sock")),
            ("", nil), (":2947", nil), ("host:", nil), ("host:0", nil), ("host:65536", nil), ("host:gpsd", nil),
            ("a b", nil), ("./gpsd.sock", nil), ("[::1", nil),
        ] as [(String, GPSDEndpoint?)])
    func addressOfGPSD(text: String, endpoint: GPSDEndpoint?) {
        #expect(GPSDEndpoint(address: text) == endpoint)
    }

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
