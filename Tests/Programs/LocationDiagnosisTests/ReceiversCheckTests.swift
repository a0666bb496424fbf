@testable import LocationDiagnosis
import LocationInterface
import Testing

@Suite("Receivers", .timeLimit(.minutes(10)))
struct ReceiversCheckTests {
    private static func row(
        _ short: String, _ words: String, _ change: (inout ReceiversCheck) -> Void
    ) -> Judged<ReceiversCheck> {
        Judged(ReceiversCheck(receivers: .seen([])), [short], words, change)
    }

    /// With one receiver on a serial line.
    private static func row(
        of mode: ReceiverReport.Mode, driver: String? = "u-blox", used: Int? = nil, seen: Int? = nil,
        signal: Double? = nil,
        _ short: String, _ words: String, _ change: (inout ReceiversCheck) -> Void = { _ in }
    ) -> Judged<ReceiversCheck> {
        row(short, words) { check in
            var receiver = ReceiverReport(device: "/dev/ttyACM0")
            receiver.mode = mode
            receiver.driver = driver
            receiver.satellitesUsed = used
            receiver.satellitesSeen = seen
            receiver.satellites = [.init(number: 1, isUsed: false, signal: signal)]
            check.receivers = .seen([receiver])
            change(&check)
        }
    }

    static let rows: [Judged<ReceiversCheck>] = [
        row("problem receiver.present", "this machine has no serial line") { _ in },
        row("problem receiver.present", #"DEVICES="/dev/ttyUSB0""#) {
            $0.serialLines = ["/dev/ttyUSB0", "/dev/ttyUSB1"]
        },
        row("problem receiver.present", "(DEVICES names /dev/a /dev/b, USBAUTO is on)") {
            $0.settings = GPSDSettings("# DEVICES=x\nDEVICES=\"/dev/a /dev/b\"\nUSBAUTO=\"true\"\n")
        },
        row("problem receiver.present", "(DEVICES is empty, USBAUTO is off)") {
            $0.settings = GPSDSettings("DEVICES=\"\"\nUSBAUTO=false")
        },
        row("ok receiver.present", "none is needed: locations come from the fixed position") {
            $0.substitute = "the fixed position"
        },
        row("notChecked receiver.present", "no program needs a location now") { $0.isLive = false },
        row("notChecked receiver.present", "gpsd cannot be asked") { $0.receivers = .hidden("gpsd cannot be asked") },
        row(of: .fix3D, used: 9, seen: 12, "ok receiver.fix", "a 3D fix from 9 of 12 satellites"),
        row(of: .fix2D, "ok receiver.fix", "/dev/ttyACM0 has a 2D fix"),
        row(of: .fix3D, "ok receiver.fix", "3D fix") { $0.isLive = false },
        row(of: .unknown, driver: nil, "problem receiver.driver", "no data that gpsd understands"),
        row(of: .unknown, driver: nil, "notChecked receiver.fix", "no program needs") { $0.isLive = false },
        row(of: .noFix, driver: nil, "problem receiver.fix", "has no fix"),
        row(of: .unknown, "problem receiver.fix", "has sent nothing for 5 s"),
        row(of: .noFix, "problem receiver.fix", "has no fix\nConnect its antenna"),
        row(of: .noFix, seen: 0, "problem receiver.fix", "it sees no satellite"),
        row(of: .noFix, used: 2, seen: 7, "problem receiver.fix", "sees 7 satellites and uses 2"),
        row(of: .noFix, used: 0, seen: 7, signal: 18.5, "problem receiver.fix", "the strongest at 18 dBHz"),
        row(of: .noFix, used: 3, seen: 7, signal: 40, "problem receiver.fix", "It needs four"),
        row(of: .noFix, seen: 7, "notChecked receiver.fix", "no program needs") { $0.isLive = false },
        // gpsd has given up root, and the line is not its group's.
        row(of: .unknown, driver: nil, "problem receiver.permission", "usermod --append --groups") {
            $0.gpsd = gpsdUser
            $0.files = ["/dev/ttyACM0": FileStatus(.characterDevice, group: 5, mode: 0o660)]
        },
        row(of: .unknown, driver: nil, "problem receiver.permission", #"KERNEL=="ttyACM0""#) {
            $0.gpsd = gpsdUser
            $0.files = ["/dev/ttyACM0": FileStatus(.characterDevice, mode: 0o600)]
        },
        row(of: .unknown, driver: nil, "problem receiver.driver", "") {
            $0.gpsd = gpsdUser
            $0.files = ["/dev/ttyACM0": FileStatus(.characterDevice, group: 20, mode: 0o660)]
        },
        row(of: .unknown, driver: nil, "problem receiver.driver", "") {
            $0.gpsd = ProcessIdentity(userID: 0, groups: [0])
            $0.files = ["/dev/ttyACM0": FileStatus(.characterDevice, mode: 0o600)]
        },
        // One that it could not open it does not mention.
        row("problem receiver.permission", "gpsd may not open /dev/ttyUSB0") {
            $0.gpsd = gpsdUser
            $0.settings = GPSDSettings("DEVICES=/dev/ttyUSB0")
            $0.files = ["/dev/ttyUSB0": FileStatus(.characterDevice, mode: 0o600)]
        },
        row("problem receiver.permission", "gpsd may not open /dev/ttyACM0") {
            $0.gpsd = gpsdUser
            $0.serialLines = ["/dev/ttyACM0"]
            $0.files = ["/dev/ttyACM0": FileStatus(.characterDevice, mode: 0o600)]
        },
        row("problem receiver.present", "/dev/ttyUSB0 does not exist") {
            $0.gpsd = gpsdUser
            $0.settings = GPSDSettings("DEVICES=/dev/ttyUSB0")
        },
        // It was opened before root was given up.
        row(of: .fix3D, "ok receiver.fix", "3D fix") {
            $0.gpsd = gpsdUser
            $0.files = ["/dev/ttyACM0": FileStatus(.characterDevice, mode: 0o600)]
        },
    ]

    @Test("the reports of receivers lead to their findings", arguments: rows)
    func findings(row: Judged<ReceiversCheck>) { row.verify() }

    @Test("a doubt of the service about a receiver is a finding beside its fix")
    func doubts() {
        var check = ReceiversCheck(receivers: .seen([with(ReceiverReport(device: "a")) { $0.mode = .fix3D }]))
        check.doubts = [("a", "It measures interference.")]
        #expect(check.findings.map(\.topic) == [.receiverFix, .receiverTrust])
        #expect(check.findings.last?.remedy == "It measures interference.")
    }

    @Test("each receiver has its own finding")
    func several() {
        let check = ReceiversCheck(
            receivers: .seen([with(ReceiverReport(device: "a")) { $0.mode = .fix3D }, ReceiverReport(device: "b")]))
        #expect(check.findings.map(\.subject) == ["a", "b"])
    }
}

@Suite("Clocks", .timeLimit(.minutes(10)))
struct ClockCheckTests {
    private static func row(_ ahead: Double, _ severity: String, _ words: String) -> Judged<ClockCheck> {
        Judged(ClockCheck(), ["\(severity) clock.receiver", "ok clock.synchronized"], words) {
            $0.offsets = ["r": ahead]
        }
    }

    static let rows: [Judged<ClockCheck>] = [
        row(0.3, "ok", "agree"),
        row(-0.3, "ok", "agree"),
        row(5, "ok", "agree"),
        row(12, "advice", "12 s ahead of that of r"),
        row(-59, "advice", "59 s behind"),
        row(61, "problem", "61 s ahead"),
        row(-600, "problem", "10 minutes behind"),
        row(3 * 3600, "problem", "3 hours ahead"),
        row(86_400 * 30, "problem", "30 days ahead"),
        row(619_315_200, "problem", "r is 1024 weeks behind"),
        row(619_315_200.0 - 3600, "problem", "1024 weeks behind"),
        row(-619_315_200, "problem", "1024 weeks ahead"),
        row(1_238_630_400, "problem", "2048 weeks behind"),
        row(1e17, "problem", "centuries ahead"),
    ]

    @Test("the difference of the clocks decides about the severity", arguments: rows)
    func difference(row: Judged<ClockCheck>) { row.verify() }

    @Test("a receiver that shows 1970 is not blamed on the machine's clock, unless that is as wrong")
    func withoutDate() throws {
        func finding(now: Double, receiver: Double) throws -> Finding {
            try #require(
                with(ClockCheck()) { ($0.now, $0.offsets) = (now, ["r": now - receiver]) }.findings.first)
        }
        for (receiver, year) in [(100.0, 1970), (315_964_800 + 86_400, 1980), (1_262_304_000, 2010)] {
            let finding = try finding(now: 1_795_000_000, receiver: receiver)
            #expect(finding.severity == .problem && finding.found.contains("the clock of r shows the year \(year)"))
            #expect(finding.remedy?.contains("timedatectl") == false)
        }
        #expect(
            try finding(now: 1_795_000_000, receiver: 1_795_000_000 - 86_400 * 30).remedy?.contains("timedatectl")
                == true)
        #expect(try finding(now: 1_000_000, receiver: 100).found.contains("this machine's clock"))
    }

    @Test("without a receiver's time the clock is not checked")
    func withoutEvidence() {
        let check = with(ClockCheck()) { $0.isSynchronized = .hidden("no systemd") }
        #expect(check.short == ["notChecked clock.receiver", "notChecked clock.synchronized"])
    }

    @Test("an unsynchronized clock gets advice")
    func unsynchronized() {
        let check = with(ClockCheck()) { $0.isSynchronized = .seen(false) }
        #expect(check.short == ["notChecked clock.receiver", "advice clock.synchronized"])
    }
}
