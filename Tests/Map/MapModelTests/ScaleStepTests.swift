import MapModel
import Testing

@Suite(.timeLimit(.minutes(10))) struct ScaleStepTests {
    private static let table: [([ScaleStep], Double, String)] = [
        (ScaleStep.metric, 100, "100 m"), (ScaleStep.metric, 50, "50 m"), (ScaleStep.metric, 2000, "2 km"),
        (ScaleStep.metric, 0.2, "20 cm"), (ScaleStep.metric, 2_000_000, "2000 km"),
        (ScaleStep.metric, 20_000_000, "20,000 km"), (ScaleStep.imperial, 60.96, "200 ft"),
        (ScaleStep.imperial, 804.672, "0.5 mi"), (ScaleStep.imperial, 1609.344, "1 mi"),
        (ScaleStep.imperial, 0.127, "5 in"),
    ]

    @Test("the length is one, two or five times a power of ten", arguments: table)
    func lengthIsOneTwoOrFive(steps: [ScaleStep], meters: Double, text: String) throws {
        let step = try #require(steps.first { $0.text == text })
        #expect(abs(step.meters - meters) < 1e-9 * meters)
    }

    @Test("from a centimetre to half of the earth, a step is at most 2.7 times as long as the one before it")
    func stepsAreClose() throws {
        for steps in [ScaleStep.metric, ScaleStep.imperial] {
            #expect(try #require(steps.first).meters <= 0.01 && #require(steps.last).meters > 1.6e7)
            for (step, next) in zip(steps, steps.dropFirst()) {
                #expect(next.meters > step.meters && next.meters < 2.7 * step.meters, "\(step) \(next)")
            }
        }
    }
}
