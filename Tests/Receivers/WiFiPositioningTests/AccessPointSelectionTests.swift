import Testing

@testable import WiFiPositioning

/// An access point that may be sent, as NetworkManager lists it.
func heard(
    _ address: String = "a4:2b:b0:11:22:33", name: String = "Cafe", frequency: Int = 2412, strength: Int = 82,
    age: Int? = 3, isInfrastructure: Bool = true
) -> ScannedAccessPoint {
    ScannedAccessPoint(
        address: address, name: Array(name.utf8), frequency: frequency, strength: strength,
        lastSeen: age.map { .seconds(1000 - $0) }, isInfrastructure: isInfrastructure)
}

@Suite("The access points sent to a server", .timeLimit(.minutes(10)))
struct AccessPointSelectionTests {
    static let now = Duration.seconds(1000)

    @Test("carry address, strength in dBm, frequency and age")
    func values() throws {
        let selection = AccessPointSelection([heard("A4:2B:B0:11:22:33")], at: Self.now)
        #expect(
            selection.points == [
                AccessPoint(
                    address: try #require(HardwareAddress("a4:2b:b0:11:22:33")), signalStrength: -51, frequency: 2412,
                    age: 3000)
            ])
        #expect(selection.omitted.isEmpty)
    }

    static let omissions: [(ScannedAccessPoint, AccessPointSelection.Omission?)] = [
        (heard(name: "Private_nomap"), .optedOut),
        (heard(name: "Private_nomap\0\0"), .optedOut),
        (heard(name: "my_nomap_cafe"), nil),
        (heard(name: "Private_optout_nothing"), .optedOut),
        (heard(name: "_optout"), .optedOut),
        (heard(name: "_OPTOUT"), nil),
        (heard(name: ""), .hidden),
        (heard(name: "\0\0\0"), .hidden),
        (heard("da:a1:19:00:00:03"), .localAddress),
        (heard("01:a1:19:00:00:03"), .groupAddress),
        (heard("00:00:5e:00:01:03"), .groupAddress),
        (heard("00:01:02:00:00:05", frequency: 2417), .invented),
        (heard("00:00:00:00:00:00"), .unreadableAddress),
        (heard("a4-2b-b0-11-22-33"), .unreadableAddress),
        (heard("a4:2b:b0:11:22"), .unreadableAddress),
        (heard("a4:2b:b0:11:22:3g"), .unreadableAddress),
        (heard(isInfrastructure: false), .notInfrastructure),
        (heard(age: 30), nil),
        (heard(age: 31), .old),
        (heard(age: nil), .old),
        // Heard in the second that has just begun.
        (heard(age: -1), nil),
    ]

    @Test(
        "leave out those that are hidden, have opted out, may move, are invented or were not seen recently",
        arguments: omissions)
    func omission(point: ScannedAccessPoint, reason: AccessPointSelection.Omission?) {
        let selection = AccessPointSelection([point], at: Self.now)
        #expect(selection.points.isEmpty == (reason != nil))
        #expect(selection.omitted == (reason.map { [$0: 1] } ?? [:]))
    }

    @Test("are the 20 strongest at most, each once")
    func bound() throws {
        let many = (0..<50).map { heard("a4:2b:b0:11:22:\($0 + 10)", strength: $0 * 2) }
        let selection = AccessPointSelection(many + many, at: Self.now)
        #expect(selection.points.count == 20)
        #expect(selection.points.map(\.signalStrength) == selection.points.map(\.signalStrength).sorted(by: >))
        #expect(selection.points.first?.signalStrength == -41)
        #expect(selection.omitted == [.surplus: 30])
    }

    @Test("are two at least")
    func minimum() {
        #expect(!AccessPointSelection([heard(), heard()], at: Self.now).isSufficient)
        #expect(AccessPointSelection([heard(), heard("a4:2b:b0:11:22:34")], at: Self.now).isSufficient)
    }

    @Test("have a strength from −100 to −40 dBm", arguments: [(0, -100), (48, -71), (82, -51), (100, -40), (255, -40)])
    func decibels(percent: Int, expected: Int) {
        #expect(AccessPointSelection.decibels(percent: percent) == expected)
    }
}
