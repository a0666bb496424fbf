import GPSDProtocol
import Testing

@Suite(.timeLimit(.minutes(10))) struct GPSDAddressTests {
    @Test(
        "gpsd addresses are parsed, and ambiguous ones refused",
        arguments: [
            ("localhost", .tcp(host: "localhost", port: 2947)), ("localhost:1", .tcp(host: "localhost", port: 1)),
            ("127.0.0.1:65535", .tcp(host: "127.0.0.1", port: 65_535)), ("::1", .tcp(host: "::1", port: 2947)),
            ("[::1]", .tcp(host: "::1", port: 2947)), ("[::1]:2948", .tcp(host: "::1", port: 2948)),
            ("/run/gpsd:1.sock", .unix(path: "/run/gpsd:1.sock")),
            ("", nil), (":2947", nil), ("host:", nil), ("host:0", nil), ("host:65536", nil), ("host:gpsd", nil),
            ("a b", nil), ("./gpsd.sock", nil), ("[::1", nil),
        ] as [(String, GPSDAddress?)])
    func addressOfGPSD(text: String, address: GPSDAddress?) {
        #expect(GPSDAddress(text) == address)
    }

    @Test(
        "what an address is shown as is parsed as the same",
        arguments: ["127.0.0.1:2947", "[::1]:2947", "/run/gpsd.sock", "a.example:1"])
    func description(text: String) {
        #expect(GPSDAddress(text)?.description == text)
    }
}
