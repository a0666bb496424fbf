import SeededRandom
import LocationModel
import LocationPolicy
import Testing

@testable import struct LocationPolicy.AccuracyGrid
@testable import struct LocationPolicy.AccuracyKeyedHash

@Suite(.timeLimit(.minutes(10))) struct AccuracyReductionTests {
    let start = ContinuousClock.now

    func location(_ coordinate: Coordinate, accuracy: Double? = 5, at second: Int = 0) -> Location {
        var location = Location(
            coordinate: coordinate, timestamp: Timestamp(nanosecondsSince1970: Int64(second) * 1_000_000_000))
        location.horizontalAccuracy = accuracy
        return location
    }

    func reduction(seed: UInt64 = 1) -> AccuracyReduction {
        var generator = SeededGenerator(seed: seed)
        return AccuracyReduction(secret: .init(using: &generator))
    }

    func deliver(_ location: Location, by reduction: inout AccuracyReduction, at second: Int) throws -> Location {
        let reduced = reduction.reduce(location, at: start + .seconds(second))
        return try #require(reduced)
    }

    let home = Coordinate(latitude: 47.3769, longitude: 8.5417)

    @Test("a reduced location has a place, a radius and a time only")
    func reducedLocationHasPlaceRadiusAndTime() throws {
        var full = location(home, at: 1_700_000_000)
        full.altitude = 408
        full.ellipsoidalAltitude = 455
        full.verticalAccuracy = 3
        full.course = 90
        full.courseAccuracy = 2
        full.speed = 1.4
        full.speedAccuracy = 0.2
        full.sourceInformation = .init(isSimulated: false, device: "/dev/ttyACM0")

        var reduction = reduction()
        let reduced = try deliver(full, by: &reduction, at: 0)
        var expected = Location(coordinate: reduced.coordinate, timestamp: full.timestamp)
        expected.horizontalAccuracy = 9000
        #expect(reduced == expected)
    }

    @Test("there are at most four deliveries an hour")
    func fourDeliveriesAnHour() {
        var reduction = reduction()
        let delivered = (0..<(24 * 3600)).filter {
            reduction.reduce(location(home, at: $0), at: start + .seconds($0)) != nil
        }
        #expect(delivered == Array(stride(from: 0, to: 24 * 3600, by: 900)))
    }

    @Test("repeated requests get the same location")
    func repeatedRequestsGetSameLocation() throws {
        var reduction = reduction()
        #expect(reduction.newest(at: start) == nil)
        let first = try deliver(location(home), by: &reduction, at: 0)
        let far = Coordinate(latitude: 46, longitude: 7)
        let tooEarly = reduction.reduce(location(far), at: start + .seconds(899))
        #expect(tooEarly == nil)
        #expect(reduction.newest(at: start + .seconds(899)) == first)
        let second = try deliver(location(far), by: &reduction, at: 900)
        #expect(second.coordinate != first.coordinate)
        #expect(reduction.newest(at: start + .seconds(900)) == second)
        #expect(reduction.newest(at: start + .seconds(1800)) == nil, "what is older is not handed out as new")
    }

    @Test("a restart keeps the cell")
    func restartKeepsCell() throws {
        var before = reduction()
        var after = reduction()
        let first = try deliver(location(home), by: &before, at: 0)
        #expect(try deliver(location(home), by: &after, at: 5) == first)
    }

    /// Places anywhere on earth that move by up to two cells between deliveries.
    @Test(
        "the radius contains the true position", arguments: [-90.0, -89.95, -60, -0.01, 0.01, 45, 80, 89.95, 90],
        [-180.0, 0, 179.99])
    func radiusHoldsTheTruth(latitude: Double, longitude: Double) throws {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<20 {
            var reduction = AccuracyReduction(secret: .init(using: &generator))
            var place = try #require(Coordinate(latitude: latitude, longitude: longitude))
            for step in 0..<20 {
                let reduced = try deliver(location(place), by: &reduction, at: 900 * step)
                let radius = try #require(reduced.horizontalAccuracy)
                #expect(place.distance(to: reduced.coordinate) <= radius, "\(place) \(reduced)")
                #expect((9000...25000).contains(radius))
                let east = place.longitude + .random(in: -0.09...0.09, using: &generator) * 57
                place = try #require(
                    Coordinate(
                        latitude: max(-90, min(90, place.latitude + .random(in: -0.09...0.09, using: &generator))),
                        longitude: abs(place.latitude) > 89 ? east.remainder(dividingBy: 360) : place.longitude))
            }
        }
    }

    @Test(
        "the radius covers the receiver's error",
        arguments: [(nil, 9000), (0, 9000), (50, 9000), (100, 9000), (1000, 11_000), (20_000, 59_000)]
            as [(Double?, Double)])
    func radiusCoversReceiverError(accuracy: Double?, radius: Double) throws {
        var reduction = reduction()
        let reduced = try deliver(location(home, accuracy: accuracy), by: &reduction, at: 0)
        #expect(reduced.horizontalAccuracy == radius)
    }

    /// A user who crosses a border by a little and returns stays in the cell after the first crossing.
    @Test("noise at a border does not change the cell")
    func noiseAtBorderKeepsCell() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            let plane = LocalPlane(origin: generator.place())
            var reduction = AccuracyReduction(secret: .init(using: &generator))
            var crossed = 0
            var last: Coordinate?
            // 200 m back and forth, 10 m further at each turn.
            for step in 0..<2000 {
                let offset = Offset(east: Double(step) * 5 + (step.isMultiple(of: 2) ? 100 : -100), north: 0)
                let told = try deliver(location(plane.coordinate(offset)), by: &reduction, at: 900 * step).coordinate
                if last != nil, told != last { crossed += 1 }
                last = told
            }
            #expect((1...5).contains(crossed), "\(crossed)")
        }
    }

    @Test("a secret has exactly 16 bytes and does not print")
    func secretHas16Bytes() throws {
        #expect(AccuracyReduction.Secret(bytes: []) == nil)
        #expect(AccuracyReduction.Secret(bytes: Array(repeating: 1, count: 17)) == nil)
        let secret = try #require(AccuracyReduction.Secret(bytes: Array(0..<16)))
        #expect(secret.bytes == Array(0..<16))
        #expect(!"\(secret)".contains("1"))
    }

    /// The vectors of SipHash's reference implementation for messages of 0, 8, 16 and 24 bytes.
    @Test("the hash agrees with SipHash's reference implementation")
    func hashMatchesSipHashReference() throws {
        let hash = AccuracyKeyedHash(secret: try #require(.init(bytes: Array(0..<16))))
        let words: [UInt64] = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908, 0x1716_1514_1312_1110]
        #expect(hash([]) == 0x726f_db47_dd0e_0e31)
        #expect(hash(Array(words.prefix(1))) == 0x93f5_f579_9a93_2462)
        #expect(hash(Array(words.prefix(2))) == 0x3f2a_cc7f_57c2_9bdb)
        #expect(hash(words) == 0xb8ad_50c6_f649_af94)
    }

    /// Each place is in its cell, also near the poles, and the cells are about 5 km wide.
    @Test("every place is in a cell of about 5 km")
    func everyPlaceIsInItsCell() throws {
        var generator = SeededGenerator(seed: 8)
        var cells: Set<AccuracyGrid.Cell> = []
        let grid = AccuracyGrid(secret: .init(using: &generator))
        for _ in 0..<20_000 {
            let latitude = Double.random(in: -90...90, using: &generator)
            let place = try #require(
                Coordinate(
                    latitude: Bool.random(using: &generator) ? latitude : (latitude < 0 ? -90 : 90) + latitude / -600,
                    longitude: .random(in: -180...180, using: &generator)))
            let cell = grid.cell(at: place)
            cells.insert(cell)
            #expect(grid.cell(cell, stillHolds: place))
            #expect(try #require(grid.centre(of: cell)).distance(to: place) <= grid.reach(ofRow: cell.row))
        }
        #expect(cells.count > 10_000)
    }
}
