import ConditionSimulation
import LocationConditions

/// The receiver's sleep over simulated days.
enum DayTable {
    private static let seeds = UInt64(1)...20

    static func measure() -> Bool {
        print("\n\(seeds.count) days each; a start takes 1 to 8 s")
        print("".padded(to: 40), "awake  events  late s: median  95 %  worst  wrong  missed")
        var isReached = true
        for make in Day.all {
            let figures = play(make, player: DayPlayer(), suffix: "")
            if figures.delays.max() ?? 0 > 30 || figures.wrong > 0 || figures.missed > 0 { isReached = false }
        }
        print("aims: worst 30 s at up to 40 m/s, none wrong, none missed:", isReached ? "reached" : "MISSED")
        print("5 % of the starts take 8 to 29 s, which 10 s are assumed for:")
        var player = DayPlayer()
        player.warmStarts = 0.05
        for make in Day.all { _ = play(make, player: player, suffix: "") }
        print("The same, and 30 s are assumed:")
        player.schedule.timeToFirstFix = 30
        for make in Day.all { _ = play(make, player: player, suffix: "") }
        print("Visits are wanted, too; lateness beside the machine with the true place every second:")
        var visitor = DayPlayer()
        visitor.watchesVisits = true
        print("".padded(to: 40), "awake  visits  true  late s: median  95 %  worst")
        for make in Day.all { playVisits(make, visitor) }
        return isReached
    }

    private static func playVisits(_ make: @Sendable (UInt64) -> Day, _ player: DayPlayer) {
        var figures = DayPlayer.Figures()
        for seed in seeds { figures.add(player.play(make(seed), seed: seed)) }
        print(
            make(1).name.padded(to: 40), "\((figures.awake / figures.total * 100).text()) %".leftPadded(to: 6),
            "\(figures.visits.reported)".leftPadded(to: 6), "\(figures.visits.true)".leftPadded(to: 5),
            figures.visitDelays.quantile(0.5).text(0).leftPadded(to: 14),
            figures.visitDelays.quantile(0.95).text(0).leftPadded(to: 5),
            figures.visitDelays.quantile(1).text(0).leftPadded(to: 6))
    }

    private static func play(
        _ make: @Sendable (UInt64) -> Day, player: DayPlayer, suffix: String
    ) -> DayPlayer.Figures {
        var figures = DayPlayer.Figures()
        var name = ""
        for seed in seeds {
            let day = make(seed)
            name = day.name
            figures.add(player.play(day, seed: seed))
        }
        print(
            (name + suffix).padded(to: 40), "\((figures.awake / figures.total * 100).text()) %".leftPadded(to: 6),
            "\(figures.delays.count)".leftPadded(to: 6), figures.delays.quantile(0.5).text(0).leftPadded(to: 14),
            figures.delays.quantile(0.95).text(0).leftPadded(to: 5),
            figures.delays.quantile(1).text(0).leftPadded(to: 6), "\(figures.wrong)".leftPadded(to: 6),
            "\(figures.missed)".leftPadded(to: 7))
        return figures
    }
}
