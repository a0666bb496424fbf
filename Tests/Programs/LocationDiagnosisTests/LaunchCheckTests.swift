import Testing

@testable import LocationDiagnosis

@Suite("Programs to start", .timeLimit(.minutes(10)))
struct LaunchCheckTests {
    private static func row(
        _ severities: [String], _ words: String, isOfSystem: Bool = true, hasRule: Bool? = true,
        _ change: @escaping @Sendable (inout UnitState) -> Void = { _ in }
    ) -> Judged<LaunchCheck> {
        var state = UnitState("weather.service")
        change(&state)
        return row(severities, words, isOfSystem: isOfSystem, hasRule: hasRule, .seen(state))
    }

    private static func row(
        _ severities: [String], _ words: String, isOfSystem: Bool = true, hasRule: Bool? = true,
        _ state: Evidence<UnitState>
    ) -> Judged<LaunchCheck> {
        let launch = LaunchCheck.Launch(
            client: "org.example.Weather", file: "/etc/locationd/clients.d/weather.plist", unit: "weather.service",
            isOfSystem: isOfSystem, state: state)
        return Judged(
            LaunchCheck(launches: [launch], hasRule: hasRule), severities.map { "\($0) client.launch" }, words)
    }

    static let rows: [Judged<LaunchCheck>] = [
        row(["ok"], "1 can be started for an event"),
        row(["ok"], "1 can be started", hasRule: nil),
        row(["ok"], "1 can be started", isOfSystem: false, hasRule: false),
        row(["problem"], "sudo apt install --reinstall ./locationd_*.deb", hasRule: false),
        row(["problem"], "there is no such unit") { $0.loadState = "not-found" },
        row(["problem"], "Launch.UserUnit in /etc/locationd/clients.d/weather.plist", isOfSystem: false) {
            $0.loadState = "not-found"
        },
        row(["problem"], "it is masked") { $0.loadState = "masked" },
        row(["problem"], "its primary name is forecast.service") { $0.id = "forecast.service" },
        row(["problem", "problem"], "Launch.SystemdUnit in", hasRule: false) { $0.loadState = "not-found" },
        row(["notChecked"], "not checked: no systemd", .hidden("no systemd")),
    ]

    @Test("each state of the units to start leads to its findings", arguments: rows)
    func findings(row: Judged<LaunchCheck>) { row.verify() }
}
