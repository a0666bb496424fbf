import LocationModel
import MotionEstimation
import Testing
import TrackingSimulation

/// The benchmark's aims in short form, with other seeds: `make bench-tracking` has the whole table.
@Suite("Comparison with true positions", .timeLimit(.minutes(10)))
struct AimTests {
    private static let trial = Trial(rate: 10, seconds: 130)

    @Test("the error is small and the radius is honest", arguments: Scenario.all)
    func aims(scenario: Scenario) {
        let measured = Self.trial.run(scenario, seeds: 7000..<7012)
        #expect(measured.frames > 12_000)
        #expect(measured.rmsRatio <= Aim.ratio(scenario.kind))
        // Errors of twelve receivers are too few for a precise test of the radius' coverage.
        #expect((0.55...0.81).contains(measured.coverage))
        #expect(measured.overshoots.quantile(0.99) <= Aim.overshoot)
        #expect(measured.jerks.allSatisfy { $0 <= Aim.jerk })
        #expect(measured.largestJump <= Aim.jump * 6)
        if scenario.kind == .standing { #expect(measured.wander <= Aim.wander) }
    }

    @Test("a hard stop with exact positions is never overshot by more than the radius")
    func stops() {
        var exact = SimulatedReceiver()
        exact.isExact = true
        let measured = Trial(rate: 10, receiver: exact, seconds: 130).run(.hardStops, seeds: 7000..<7010)
        #expect(measured.beyond.count > 30)
        #expect(measured.beyond.allSatisfy { $0 <= Aim.overshoot })
    }

    @Test("without a reported speed, frames are not worse than the last fix")
    func noSpeed() {
        var receiver = SimulatedReceiver()
        receiver.tellsVelocity = false
        let trial = Trial(rate: 10, receiver: receiver, seconds: 130)
        #expect(trial.run(.town, seeds: 7000..<7005).rmsRatio < 0.75)
        #expect(trial.run(.standing, seeds: 7000..<7005).rmsRatio < 1.05)
    }

    @Test("frames of recorded logs are no further from the next fix than the last fix is")
    func logs() throws {
        let logs = try RecordedLog.all()
        #expect(!logs.isEmpty)
        for log in logs {
            let errors = log.foretell()
            #expect(errors.filter.quantile(0.99) <= errors.held.quantile(0.99) + Aim.rounding, "\(log.name)")
        }
    }
}
