import FoundationEssentials
import TestSupport
import Testing

@testable import LocationDiagnosis

@Suite("The compass", .timeLimit(.minutes(10)))
struct CompassCheckTests {
    private static func row(
        _ severity: String, _ words: String, _ isRunning: Evidence<Bool> = .seen(true), isInstalled: Bool = true,
        isPermitted: Bool? = true, problem: String? = nil
    ) -> Judged<CompassCheck> {
        Judged(CompassCheck(isRunning: isRunning), ["\(severity) compass.heading"], words) {
            $0.isInstalled = isInstalled
            $0.isPermitted = isPermitted
            $0.problem = problem
        }
    }

    static let rows: [Judged<CompassCheck>] = [
        row("ok", "is used while a heading is needed"),
        row("ok", "is used", isPermitted: nil),
        row("advice", "sudo apt install iio-sensor-proxy", .seen(false), isInstalled: false),
        row("problem", "sudo systemctl restart iio-sensor-proxy", .seen(false)),
        row("problem", "sudo apt install --reinstall ./locationd_*.deb", isPermitted: false),
        row("problem", "mend it", problem: "Not allowed. To fix it, run: mend it"),
        row("problem", "journalctl -u iio-sensor-proxy", problem: "It does not answer."),
        row("notChecked", "not checked: no bus", .hidden("no bus")),
    ]

    @Test("each state of the compass leads to its findings", arguments: rows)
    func findings(row: Judged<CompassCheck>) { row.verify() }

    @Test("a machine has a compass if one of its sensors gives the direction of north")
    func hasCompass() throws {
        let sensors = try TemporaryDirectory()
        #expect(!CompassCheck.hasCompass(in: "\(sensors.path)/iio"))
        let elements = "\(sensors.path)/iio:device1/scan_elements"
        for directory in ["\(sensors.path)/iio:device0", elements] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        #expect(!CompassCheck.hasCompass(in: sensors.path))
        try Data("0".utf8).write(
            to: URL(filePath: "\(elements)/in_rot_from_north_magnetic_tilt_comp_en"))
        #expect(CompassCheck.hasCompass(in: sensors.path))
    }
}
