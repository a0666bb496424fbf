import FleetModel
import Testing

@Suite("FleetFeed: messages on their way through a pipe")
struct FleetFeedTests {
    private static let all: [FleetFeed] = [
        .connected,
        .message(
            topic: "owntracks/fleet/van7", payload: Array(#"{"_type":"lwt"}"#.utf8), isRetained: true, expiry: 300),
        .message(topic: "owntracks/é/\u{202E}", payload: [], isRetained: false, expiry: nil),
        .message(topic: "owntracks/a/b", payload: [0, 255, 10], isRetained: false, expiry: 0),
        .interrupted("broker.example cannot be reached: Connection refused."),
    ]

    @Test("written messages are read, in pieces of any size", arguments: [1, 2, 3, 7, 1000])
    func pieces(size: Int) throws {
        var bytes: [UInt8] = []
        for item in Self.all { item.append(to: &bytes) }
        var decoder = FleetFeed.Decoder()
        var read: [FleetFeed] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            read += try decoder.take(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(read == Self.all)
    }

    @Test(
        "bytes that are not a feed are refused",
        arguments: [
            [0, 0, 0, 0], [255, 255, 255, 255, 1], [1, 0, 0, 0, 9], [3, 0, 0, 0, 0, 1, 1],
            [9, 0, 0, 0, 1, 0, 0, 0, 0, 9, 0, 0, 0],
        ] as [[UInt8]])
    func corrupt(bytes: [UInt8]) {
        var decoder = FleetFeed.Decoder()
        #expect(throws: FleetFeed.Decoder.Corrupt()) { try decoder.take(bytes[...]) }
    }
}
