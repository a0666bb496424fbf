extension ClockCheck {
    /// Asks systemd whether the clock is synchronized.
    package static func readSynchronization() -> Evidence<Bool> {
        if let obstacle = UnitState.obstacle { return .hidden(obstacle) }
        return Command.output(of: "timedatectl", ["show", "--property=NTPSynchronized", "--value"])
            .map { .seen($0.hasPrefix("yes")) } ?? .hidden("timedatectl failed")
    }
}
