import Glibc
import LocationModel
import MotionEstimation
import TrackingSimulation

/// `make bench-tracking`: compares the position that follow mode shows with the true one.
///
/// Errors are those of the position shown at each moment, beside those of a display that holds the last arrived fix.
/// The filter's parameters were chosen with other seeds than those here. `QUICK=1` in the environment uses fewer seeds,
/// too few to judge the stated radius. Fails when an aim is missed.
@main
struct TrackingBenchmark {
    static func main() throws {
        let isQuick = getenv("QUICK").map { String(cString: $0) } ?? "" != ""
        var table = Table()
        let few: Range<UInt64> = 9000..<9100
        let many: Range<UInt64> = 9000..<10_000
        for (rate, seeds) in isQuick ? [(10.0, few)] : [(10, many), (60, few)] {
            print("\(seeds.count) journeys of 300 s each, fixes at 1 Hz, frames at \(Int(rate)) Hz: \(Table.standard)")
            table.printHeader()
            for scenario in Scenario.all {
                table.print(scenario, Trial(rate: rate).run(scenario, seeds: seeds), rate: rate)
            }
        }
        var exact = SimulatedReceiver()
        exact.isExact = true
        table.printStops(Trial(rate: 10, receiver: exact).run(.hardStops, seeds: few))
        print("\nReceivers of other kinds, frames at 10 Hz, without an aim:")
        table.printHeader()
        for (name, receiver) in others {
            for scenario in [Scenario.town, .walk, .standing] {
                let measured = Trial(rate: 10, receiver: receiver).run(scenario, seeds: 9000..<9040)
                table.print(scenario, measured, rate: 10, receiver: name)
            }
        }
        try foretell(&table)
        measureCost(&table)
        if table.missed > 0 {
            print("\n\(table.missed) aims missed.")
            exit(1)
        }
    }

    /// Receivers that violate the filter's assumptions.
    private static var others: [(String, SimulatedReceiver)] {
        func receiver(_ change: (inout SimulatedReceiver) -> Void) -> SimulatedReceiver {
            var receiver = SimulatedReceiver()
            change(&receiver)
            return receiver
        }
        return [
            ("error lasts 10 s", receiver { $0.correlationTime = 10 }),
            ("error lasts 100 s", receiver { $0.correlationTime = 100 }),
            ("error lasts 1000 s", receiver { $0.correlationTime = 1000 }),
            ("tells no speed", receiver { $0.tellsVelocity = false }),
            ("10 fixes a second", receiver { $0.interval = 0.1 }),
            ("a fix in 5 s", receiver { $0.interval = 5 }),
            ("0.5 s late, jitter 0.2 s", receiver { ($0.delay, $0.jitter) = (0.5...0.5, 0.2) }),
            ("says twice its error", receiver { $0.statedScale = 2 }),
        ]
    }

    private static func foretell(_ table: inout Table) throws {
        let logs = try RecordedLog.all()
        print("\nRecorded logs: from the frame just before a fix to that fix, and from the fix before, in metres")
        table.printForetellingHeader()
        var (filter, held): ([Double], [Double]) = ([], [])
        for log in logs {
            let errors = log.foretell()
            table.printForetelling(log.name, errors.filter, errors.held)
            filter += errors.filter
            held += errors.held
        }
        table.printForetelling("all of them", filter, held)
    }

    private static func measureCost(_ table: inout Table) {
        let field = Field(start: .now)
        let journey = Scenario.town.journey(seed: 5000, seconds: 60)
        var filter = MotionFilter()
        for delivery in SimulatedReceiver().deliveries(of: journey, in: field, seed: 5000) where delivery.arrival < 50 {
            _ = filter.observe(delivery.location, at: field.instant(at: delivery.arrival))
        }
        let frames = 200_000
        var sum = 0.0
        let duration = ContinuousClock().measure {
            for index in 0..<frames {
                sum +=
                    filter.frame(at: field.instant(at: 50 + Double(index) / Double(frames)))?.coordinate.latitude ?? 0
            }
        }
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
        // Used, so that the compiler keeps the frames.
        table.printCost(nanoseconds: sum.isFinite ? seconds / Double(frames) * 1e9 : .infinity)
    }
}
