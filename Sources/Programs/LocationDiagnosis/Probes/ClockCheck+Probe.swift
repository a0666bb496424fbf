import POSIXSupport

extension ClockCheck {
    /// Asks systemd whether the clock is synchronized.
    package static func readSynchronization() -> Evidence<Bool> {
        if let obstacle = UnitState.obstacle { return .hidden(obstacle) }
        guard let timedatectl = Command.path(of: "timedatectl"),
            let result = try? Command.run([timedatectl, "show", "--property=NTPSynchronized", "--value"]),
            result.code == 0
        else { return .hidden("timedatectl failed") }
        return .seen(result.output.hasPrefix("yes"))
    }
}
