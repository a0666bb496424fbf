import FoundationEssentials
import TestSupport
import Testing

@testable import LocationUsage

@Suite(.timeLimit(.minutes(10))) struct PowerSuppliesTests {
    private static let discharging = ["type": "Battery", "status": "Discharging"]

    /// What the kernel lists, and whether that means running on the battery.
    static let machines: [(supplies: [String: [String: String]], isOnBattery: Bool)] = [
        ([:], false),
        (["BAT0": discharging], true),
        (["BAT0": ["type": "Battery", "status": "Charging"]], false),
        (["BAT0": ["type": "Battery", "status": "Full"], "AC": ["type": "Mains", "online": "1"]], false),
        (["BAT0": discharging, "AC": ["type": "Mains", "online": "0"]], true),
        (["AC": ["type": "Mains", "online": "0"], "BAT0": discharging, "usb": ["type": "USB", "online": "0"]], true),
        // A weak supply: the battery is discharging, but not what the machine runs on alone.
        (["BAT0": discharging, "usb": ["type": "USB", "online": "1"]], false),
        (["mouse": discharging.merging(["scope": "Device"]) { $1 }], false),
        (["BAT0": discharging, "pad": ["type": "USB", "online": "1", "scope": "Device"]], true),
        (["damaged": [:]], false),
    ]

    @Test(
        "the machine runs on its battery while one of its own is discharging and no mains is connected",
        arguments: machines)
    func batteryIsDischargingWithoutMains(_ supplies: [String: [String: String]], _ isOnBattery: Bool) throws {
        let directory = try TemporaryDirectory()
        for (name, properties) in supplies {
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/\(name)", withIntermediateDirectories: true)
            for (property, value) in properties {
                try "\(value)\n".write(
                    toFile: "\(directory.path)/\(name)/\(property)", atomically: false, encoding: .utf8)
            }
        }
        #expect(PowerSupplies.isOnBattery(directory: directory.path) == isOnBattery)
    }

    @Test("without the kernel’s list of power supplies it is unknown")
    func missingListIsInDoubt() {
        #expect(PowerSupplies.isOnBattery(directory: "/nonexistent") == nil)
    }
}
