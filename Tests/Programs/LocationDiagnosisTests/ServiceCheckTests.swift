@testable import LocationDiagnosis
import LocationInterface
import LocationModel
import Testing

@Suite("Units", .timeLimit(.minutes(10)))
struct UnitsCheckTests {
    private static func socket(
        _ severity: String, _ words: String, _ change: (inout UnitState) -> Void = { _ in }
    ) -> Judged<UnitsCheck> {
        let unit = with(UnitState("locationd.socket"), change)
        return Judged(
            UnitsCheck(socket: .seen(unit), service: .seen(UnitState("locationd.service"))),
            ["\(severity) service.socketUnit", "ok service.unit"], words)
    }

    private static func service(
        _ severity: String, _ words: String, _ change: (inout UnitState) -> Void = { _ in }
    ) -> Judged<UnitsCheck> {
        let unit = with(UnitState("locationd.service"), change)
        return Judged(
            UnitsCheck(socket: .seen(UnitState("locationd.socket")), service: .seen(unit)),
            ["ok service.socketUnit", "\(severity) service.unit"], words)
    }

    static let rows: [Judged<UnitsCheck>] = [
        socket("ok", "active and enabled"),
        socket("problem", "sudo systemctl unmask locationd.socket && sudo systemctl enable --now") {
            $0.loadState = "masked"
        },
        socket("problem", "is not installed") { $0.loadState = "not-found" },
        socket("problem", "cannot be loaded (bad-setting)") { $0.loadState = "bad-setting" },
        socket("problem", "systemctl enable --now locationd.socket") { $0.activeState = "inactive" },
        socket("problem", "has failed (service-start-limit-hit)") {
            $0.activeState = "failed"
            $0.result = "service-start-limit-hit"
        },
        socket("advice", "gone after a reboot") { $0.unitFileState = "disabled" },
        socket("ok", "enabled") { $0.unitFileState = "enabled-runtime" },
        service("ok", "locationd.service runs"),
        service("ok", "starts with the first client") { $0.activeState = "inactive" },
        service("problem", "sudo systemctl unmask locationd.service") { $0.loadState = "masked" },
        service("problem", "is not installed") { $0.loadState = "not-found" },
        service("problem", "was not understood (64)") { fail(&$0, 64) },
        service("problem", "recorded track") { fail(&$0, 66) },
        service("problem", "socket cannot be created") { fail(&$0, 71) },
        service("problem", "/var/lib/locationd is missing") { fail(&$0, 74) },
        service("problem", "locationctl config check") { fail(&$0, 78) },
        service("problem", "it ended with 1 (exit-code)") { fail(&$0, 1) },
        service("problem", "Its last status: HistoryDay: no such key") {
            fail(&$0, 78)
            $0.statusText = "HistoryDay: no such key"
        },
        service("problem", "signal 6 ended it (watchdog)") {
            fail(&$0, 6)
            $0.wasKilled = true
            $0.result = "watchdog"
        },
        // Waiting for its next try.
        service("problem", "state directory cannot be used") {
            fail(&$0, 74)
            $0.activeState = "inactive"
        },
    ]

    @Test("the states of the units lead to their findings", arguments: rows)
    func findings(row: Judged<UnitsCheck>) { row.verify() }

    private static func fail(_ unit: inout UnitState, _ code: Int32) {
        unit.activeState = "failed"
        unit.result = "exit-code"
        unit.exitStatus = code
    }

    @Test("without systemd the units are not checked, with the reason")
    func withoutSystemd() {
        let check = UnitsCheck(socket: .hidden("systemd is not the init system here"), service: .hidden("-"))
        #expect(check.short == ["notChecked service.socketUnit"])
        #expect(check.text.contains("systemd is not the init system here"))
    }

    @Test("the output of systemctl is read")
    func parsing() {
        let unit = UnitState(
            "gpsd.socket",
            shown: """
                Id=gpsd.socket
                LoadState=loaded
                ActiveState=failed
                UnitFileState=enabled
                Result=core-dump
                ExecMainCode=3
                ExecMainStatus=11
                StatusText=a=b
                Listen=/run/gpsd.sock (Stream)
                Listen=[::1]:2947 (Stream)
                """)
        let expected = with(UnitState("gpsd.socket")) {
            $0.activeState = "failed"
            $0.result = "core-dump"
            $0.exitStatus = 11
            $0.wasKilled = true
            $0.statusText = "a=b"
            $0.listens = ["/run/gpsd.sock", "[::1]:2947"]
        }
        #expect(unit == expected)
    }
}

@Suite("The service's socket", .timeLimit(.minutes(10)))
struct SocketFileCheckTests {
    private static func row(
        _ severity: String, _ words: String, file: FileLook = .found(FileStatus(.socket, mode: 0o666)),
        directory: FileStatus? = FileStatus(.directory, mode: 0o755), isSystem: Bool = true
    ) -> Judged<SocketFileCheck> {
        let directory = directory.map { FileLook.found($0) } ?? .absent
        return Judged(
            SocketFileCheck(path: "/d/s", file: file, directory: directory, isSystem: isSystem),
            ["\(severity) service.socketFile"], words)
    }

    static let rows: [Judged<SocketFileCheck>] = [
        row("ok", "open to every user"),
        row("problem", "systemctl restart locationd.socket", file: .absent),
        row("problem", "there is no socket", file: .absent, directory: nil),
        row("problem", "--socket /d/s", file: .absent, isSystem: false),
        row("problem", "is not accessible", file: .failed(13)),
        row("problem", "is not a socket", file: .found(FileStatus(.regular, mode: 0o666))),
        row("problem", "not every user may connect", file: .found(FileStatus(.socket, mode: 0o660))),
        row("ok", "is open", file: .found(FileStatus(.socket, mode: 0o600)), isSystem: false),
        row("problem", "could replace the socket", directory: FileStatus(.directory, owner: 1000, mode: 0o755)),
        row("ok", "is open", directory: FileStatus(.directory, owner: 1000, mode: 0o755), isSystem: false),
        row("problem", "chmod 0755 /d", directory: FileStatus(.directory, mode: 0o775)),
        row("problem", "not every user may enter", directory: FileStatus(.directory, mode: 0o700)),
        row("problem", "is not a directory", directory: FileStatus(.symbolicLink, mode: 0o777)),
    ]

    @Test("the socket's permissions lead to their findings", arguments: rows)
    func findings(row: Judged<SocketFileCheck>) { row.verify() }
}

@Suite("The service's answer", .timeLimit(.minutes(10)))
struct ServiceCheckTests {
    private static let status = ManagerInterface.GetServiceStatus.Reply(
        version: "1.0", sources: [],
        isLocationAvailable: false, isEnabled: true, isEnabledForUser: true, hasAgent: false, connections: 0,
        subscriptions: 0, clients: 0, problems: [])

    private static func row(
        _ answer: Evidence<ManagerInterface.GetServiceStatus.Reply>, _ version: String, _ severity: String,
        _ words: String
    ) -> Judged<ServiceCheck> {
        Judged(
            ServiceCheck(path: "/d/s", answer: answer, isSystem: true, ownVersion: version),
            ["\(severity) service.answer"],
            words)
    }

    static let rows: [Judged<ServiceCheck>] = [
        row(.seen(status), "1.0", "ok", "locationd 1.0 answers at /d/s"),
        row(.seen(status), "2.0", "advice", "this is locationctl 2.0"),
        row(.hidden("No."), "1.0", "problem", "No."),
    ]

    @Test("the service's answer leads to its findings", arguments: rows)
    func findings(row: Judged<ServiceCheck>) { row.verify() }
}

@Suite("You", .timeLimit(.minutes(10)))
struct UserCheckTests {
    private static func row(
        _ words: String, agent: String = "ok", own: String? = "ok", enabled: String = "ok", geofences: String? = nil,
        _ change: (inout UserCheck) -> Void = { _ in }
    ) -> Judged<UserCheck> {
        let short =
            ["\(enabled) user.enabled", "\(agent) user.agent"] + (geofences.map { ["\($0) user.geofences"] } ?? [])
            + (own.map { ["\($0) user.authorization"] } ?? [])
        return Judged(UserCheck(), short, words, change)
    }

    static let rows: [Judged<UserCheck>] = [
        row("while it is in use"),
        row("your rule 4 withholds", own: "advice") {
            $0.withholding = .init(rule: "your rule 4 withholds your location", remedy: "locationctl rules remove 4")
        },
        row("you have denied it", own: "problem") {
            $0.authorization = .seen(.denied)
            $0.withholding = .init(rule: "your rule 4 withholds your location", remedy: "locationctl rules remove 4")
        },
        row("locationctl on --system", own: nil, enabled: "problem") { $0.isEnabled = false },
        row("off for you", own: nil, enabled: "problem") { $0.isEnabledForUser = false },
        row("no program waits for your decision") { $0.hasAgent = false },
        row("a, b, c and 2 more", agent: "advice") {
            $0.hasAgent = false
            $0.undecided = .seen(["a", "b", "c", "d", "e"])
        },
        row("an agent shows you the prompts") { $0.undecided = .seen(["a"]) },
        row("not among Agents", agent: "notChecked") {
            $0.hasAgent = false
            $0.undecided = .hidden("not among Agents")
        },
        row("locationctl allow org.locationd.locationctl", own: "problem") { $0.authorization = .seen(.denied) },
        row("a policy forbids it", own: "problem") { $0.authorization = .seen(.restricted) },
        row("prompts you") { $0.authorization = .seen(.notDetermined) },
        row("may use your location at any time") { $0.authorization = .seen(.authorizedAlways) },
        row("while it is in use") { $0.geofenceUnit = unit("disabled", active: "inactive") },
        row("starts the units of your geofences", geofences: "ok") { $0.geofenceUnit = unit() },
        row("does not run: no unit is started", geofences: "problem") { $0.geofenceUnit = unit(active: "inactive") },
        row("has ended with 77", geofences: "problem") {
            $0.geofenceUnit = unit(active: "failed")
            $0.geofenceUnit?.exitStatus = 77
        },
        row("locationctl receives no location: No.", own: "problem") { $0.authorization = .hidden("No.") },
    ]

    private static func unit(_ file: String = "enabled", active: String = "active") -> UnitState {
        var unit = UnitState("locationd-geofences.service")
        (unit.unitFileState, unit.activeState) = (file, active)
        return unit
    }

    @Test("the user's settings lead to their findings", arguments: rows)
    func findings(row: Judged<UserCheck>) { row.verify() }
}
