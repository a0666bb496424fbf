import Testing

@testable import LocationDiagnosis

@Suite("gpsd's shared memory and signals", .timeLimit(.minutes(10)))
struct ExportsCheckTests {
    private static let running = UnitState("gpsd.service")
    private static let idle = with(running) { $0.activeState = "inactive" }
    private static let absent = with(idle) { $0.loadState = "not-found" }

    private static func check(
        _ mode: UInt32?, isOnBus: Bool, _ unit: UnitState = running, isClosed: Bool = false
    ) -> ExportsCheck {
        let unit = with(unit) { $0.environment = isClosed ? [ExportsCheck.busAddress] : ["LANG=C"] }
        return ExportsCheck(segmentMode: .seen(mode), isOnBus: .seen(isOnBus), unit: .seen(unit))
    }

    private static func row(_ check: ExportsCheck, _ memory: String, _ bus: String, _ words: String) -> Judged<
        ExportsCheck
    > {
        Judged(check, ["\(memory) gpsd.sharedMemory", "\(bus) gpsd.bus"], words)
    }

    static let rows: [Judged<ExportsCheck>] = [
        row(check(0o666, isOnBus: true), "problem", "problem", "sudo locationctl doctor --fix"),
        row(check(0o604, isOnBus: false), "problem", "ok", "mode 604"),
        row(check(0, isOnBus: false, isClosed: true), "ok", "ok", "publishes nothing"),
        row(check(0o660, isOnBus: false), "ok", "ok", "publishes nothing"),
        row(check(nil, isOnBus: false), "ok", "ok", "not connected"),
        // What gpsd has left, and what nobody can know yet.
        row(check(0o666, isOnBus: false, idle), "problem", "notChecked", "does not run now"),
        row(check(nil, isOnBus: false, idle), "notChecked", "notChecked", "does not run now"),
        row(check(nil, isOnBus: false, idle, isClosed: true), "ok", "ok", "not connected"),
        row(check(nil, isOnBus: false, absent), "ok", "ok", "not connected"),
        // gpsd outside its unit, which --fix does not reach.
        row(check(0o666, isOnBus: true, isClosed: true), "problem", "problem", "started earlier or in another way"),
        row(with(check(0o666, isOnBus: true)) { $0.isFixable = false }, "problem", "problem", "in its environment"),
        row(
            ExportsCheck(segmentMode: .hidden("no /proc"), isOnBus: .hidden("no bus"), unit: .hidden("no systemd")),
            "notChecked", "notChecked", "no bus"),
    ]

    @Test("each open export leads to its findings", arguments: rows)
    func findings(row: Judged<ExportsCheck>) { row.verify() }

    @Test("the permissions of gpsd's segment are read from the kernel's table")
    func table() {
        let table = """
                   key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime
            1314148402          2   666                    96    78   121      1     0     0     0     0 1795523414
            1196446532         10   666                 24512   161   161      1     0     0     0     0 1795523424

            """
        #expect(ExportsCheck.mode(inTable: table) == 0o666)
        #expect(ExportsCheck.mode(inTable: table.replacing("10   666", with: " 9     0")) == 0)
        #expect(ExportsCheck.mode(inTable: table.replacing("1196446532", with: "1196446533")) == nil)
        for broken in ["", "1196446532", "1196446532 10 xyz 0"] { #expect(ExportsCheck.mode(inTable: broken) == nil) }
    }

    @Test("gpsd is found among the connections of the bus by the name of its process")
    func bus() {
        let lines = [
            ":1.0           1 systemd         root :1.0          init.scope             -       -",
            ":1.2           - -               -    -             -                      -       gpsd", "",
        ]
        #expect(!ExportsCheck.isConnected(inList: lines))
        #expect(
            ExportsCheck.isConnected(inList: lines + [":1.8         161 gpsd            root :1.8 gpsd.service -  -"]))
    }

    @Test("the variables of a unit are read from systemctl")
    func environment() {
        let state = UnitState("gpsd.service", shown: "Id=gpsd.service\nEnvironment=A=1 \(ExportsCheck.busAddress)\n")
        #expect(state.environment == ["A=1", ExportsCheck.busAddress])
        #expect(UnitState("gpsd.service", shown: "Environment=\n").environment == [])
    }
}
