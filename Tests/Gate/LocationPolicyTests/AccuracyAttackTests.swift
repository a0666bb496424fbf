import SeededRandom
import LocationModel
import LocationPolicy
import Testing

/// Attacks of an observer with a day's deliveries on the true position.
///
/// The measure is the mean error of the best guess, the centre, of an observer who knows only a cell of 5 km by 5 km:
/// 0.3826 × 5 km. Each attack is also shown to succeed against a plain grid of such cells.
@Suite(.timeLimit(.minutes(10))) struct AccuracyAttackTests {
    static let errorInCell = 0.3826 * 5000

    @Test("averaging the deliveries of a standing user does not sharpen the position")
    func averagingDoesNotSharpenStandingUser() {
        var generator = SeededGenerator(seed: 1)
        let errors = (0..<400).map { _ in
            let day = ObservedDay(around: generator.place(), generator: &generator) { _, _ in Offset(east: 0, north: 0)
            }
            #expect(day.sightings.count == 96)
            #expect(day.sightings.changes.isEmpty)
            #expect((day.sightings.map(\.told).middleOfExtremes - day.sightings[0].told).length < 1e-6)
            return day.sightings.map(\.told).mean.length
        }
        #expect(errors.mean > Self.errorInCell)
        // Within a kilometre by chance, with the probability of hitting a circle of that size in the cell.
        #expect(Double(errors.count { $0 < 1000 }) / 400 < .pi / 25 * 1.2)
    }

    @Test("smoothing the deliveries of a walk does not sharpen the position")
    func smoothingDoesNotSharpenWalk() {
        var generator = SeededGenerator(seed: 2)
        var errors: [Int: [Double]] = [:]
        var plain: [Int: [Double]] = [:]
        var atChanges: [Double] = []
        var plainAtChanges: [Double] = []
        for _ in 0..<150 {
            let sightings = ObservedDay.walk(generator: &generator).sightings
            let inPlainGrid = sightings.inPlainGrid(generator: &generator)
            for window in [0, 1, 2, 3, 4, 6] {
                errors[window, default: []] += sightings.errorsOfMovingAverage(window)
                plain[window, default: []] += inPlainGrid.errorsOfMovingAverage(window)
            }
            atChanges += sightings.errorsAtChanges
            plainAtChanges += inPlainGrid.errorsAtChanges
        }
        // Neighbouring deliveries of a walk reveal more than one; with the best window, about as much as the cell.
        #expect(errors.values.map(\.mean).allSatisfy { $0 > Self.errorInCell }, "\(errors.mapValues(\.mean))")
        #expect(plain.values.map(\.mean).contains { $0 < 0.8 * Self.errorInCell }, "\(plain.mapValues(\.mean))")
        #expect(atChanges.mean > Self.errorInCell, "\(atChanges.mean)")
        #expect(plainAtChanges.mean < 0.8 * Self.errorInCell, "\(plainAtChanges.mean)")
    }

    @Test("crossing borders back and forth does not reveal them")
    func crossingBordersDoesNotRevealThem() {
        var generator = SeededGenerator(seed: 3)
        var once: [Double] = []
        var allDay: [Double] = []
        var extremes: [Double] = []
        var plainAllDay: [Double] = []
        for _ in 0..<500 {
            // Four kilometres back and forth at 84 m a minute: thirty crossings a day of any border in between.
            let sightings = ObservedDay(around: generator.place(), generator: &generator) { minute, _ in
                Offset(east: (abs(Double(minute % 96) / 96 - 0.5) * 4 - 1) * 2000, north: 0)
            }.sightings
            if let error = sightings.errorOfMeanChange { allDay.append(error) }
            once += sightings.errorsAtChanges.prefix(1)
            if let error = sightings.inPlainGrid(generator: &generator).errorOfMeanChange { plainAllDay.append(error) }
            extremes.append(sightings.map(\.told).middleOfExtremes.length)
        }
        #expect(allDay.count > 200)
        #expect(once.mean > Self.errorInCell, "\(once.mean)")
        #expect(allDay.mean > Self.errorInCell, "\(allDay.mean)")
        #expect(plainAllDay.mean < 0.8 * Self.errorInCell, "\(plainAllDay.mean)")
        #expect(extremes.mean > Self.errorInCell, "\(extremes.mean)")
    }

    @Test("the times of deliveries do not depend on movement")
    func deliveryTimesDoNotDependOnMovement() {
        var generator = SeededGenerator(seed: 4)
        let still = ObservedDay(around: generator.place(), generator: &generator) { _, _ in Offset(east: 0, north: 0) }
        let walking = ObservedDay.walk(generator: &generator)
        #expect(!walking.sightings.changes.isEmpty)
        #expect(walking.sightings.map(\.location.timestamp) == still.sightings.map(\.location.timestamp))
        for (a, b) in zip(walking.sightings, walking.sightings.dropFirst()) {
            #expect(b.location.timestamp.duration(since: a.location.timestamp) >= AccuracyReduction.interval)
        }
    }

    @Test("the grids of two clients do not line up")
    func gridsOfTwoClientsDoNotLineUp() {
        var generator = SeededGenerator(seed: 5)
        var apart: [Double] = []
        var north: [Double] = []
        var together: [Double] = []
        let rowHeight = 5556.0
        for _ in 0..<1000 {
            let plane = LocalPlane(origin: generator.place())
            let told = (0..<4).map { _ in
                var client = AccuracyReduction(secret: .init(using: &generator))
                return plane.offset(
                    of: client.reduce(
                        Location(coordinate: plane.origin, timestamp: .init(nanosecondsSince1970: 0)), at: .now)!
                        .coordinate)
            }
            apart.append((told[0] - told[1]).length)
            // The distance between the grids' rows, as a fraction of a row.
            north.append(abs(((told[0] - told[1]).north / rowHeight).remainder(dividingBy: 1)))
            together.append(told.mean.length)
        }
        #expect(apart.mean > 2500)
        #expect(apart.count { $0 < 100 } < 5)
        #expect((0.22...0.28).contains(north.mean), "0.25 when any shift is as likely as any other: \(north.mean)")
        // The stated limit: four colluding clients, about half the error of one.
        #expect((1200...1700).contains(together.mean), "\(together.mean)")
    }
}

extension Array where Element == ObservedDay.Sighting {
    /// Guess: a user whose cell has just changed is on the border. The error of each such guess.
    fileprivate var errorsAtChanges: [Double] {
        changes.map { (($0.told + $1.told) * 0.5 - ($0.truth + $1.truth) * 0.5).length }
    }

    /// Guess: a user whose cell has changed was on the border on the average of the whole day.
    fileprivate var errorOfMeanChange: Double? {
        let changes = changes
        guard !changes.isEmpty else { return nil }
        return (changes.map { ($0.told + $1.told) * 0.5 }.mean - changes.map { ($0.truth + $1.truth) * 0.5 }.mean)
            .length
    }

    /// Guess: the average of as many deliveries before and after each.
    fileprivate func errorsOfMovingAverage(_ window: Int) -> [Double] {
        (window..<(count - window)).map {
            (self[($0 - window)...($0 + window)].map(\.told).mean - self[$0].truth).length
        }
    }

    /// The same day on a grid of 5 km without secret borders.
    fileprivate func inPlainGrid(generator: inout SeededGenerator) -> Self {
        let shift = Offset(
            east: .random(in: 0..<5000, using: &generator), north: .random(in: 0..<5000, using: &generator))
        func centre(_ value: Double) -> Double { ((value / 5000).rounded(.down) + 0.5) * 5000 }
        return map {
            var sighting = $0
            let shifted = $0.truth + shift
            sighting.told = Offset(east: centre(shifted.east), north: centre(shifted.north)) - shift
            return sighting
        }
    }
}
