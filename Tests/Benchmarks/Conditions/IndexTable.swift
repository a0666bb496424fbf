import Glibc
import ConditionSimulation
import LocationConditions
import LocationModel
import SeededRandom

/// The cost of a fix beside that with 10 conditions, and the memory.
enum IndexTable {
    private static let (largestExtra, mostBytes) = (20.0, 200.0)
    private static let fixes = 20_000

    static func measure() -> Bool {
        print("\n\(fixes) fixes, a second each, 30 m/s; aims: 20 µs more than with 10 conditions, 200 bytes each")
        print(
            "".padded(to: 40), "µs a fix: mean  99 %  ratio  bytes each  resident  added in µs  first fix ms  jump ms")
        let few = measure("10 within 20 km", 10, spread: 20_000, baseline: nil)
        var isReached = true
        for (name, spread, huge) in [
            ("100,000 within 20 km", 20_000.0, 0), ("100,000 within 500 km", 500_000, 0),
            ("100,000, world-wide", 1e7, 0), ("the same, 1,000 of 100 to 10,000 km", 1e7, 1000),
            ("all of 100 to 10,000 km", 1e7, 100_000),
        ] {
            let many = measure(name, 100_000, spread: spread, huge: huge, baseline: few.mean)
            let isGood = many.mean - few.mean <= largestExtra && many.bytes <= mostBytes
            // An index of huge circles only is shown, but nobody needs it.
            if huge < 100_000, !isGood { isReached = false }
        }
        print("aims:", isReached ? "reached" : "MISSED")
        for points in [4, 100, 1000] { measurePolygon(points) }
        return isReached
    }

    private static func measurePolygon(_ count: Int) {
        let ring = (0..<count).map {
            Field.origin.destination(
                distance: $0.isMultiple(of: 2) ? 5000 : 4000, bearing: Double($0) * 360 / Double(count))
        }
        let clock = ContinuousClock()
        var polygons: [PolygonGeographicCondition] = []
        let before = residentBytes()
        let making = clock.measure {
            for _ in 0..<200 {
                if let polygon = try? PolygonGeographicCondition(ring: ring) { polygons.append(polygon) }
            }
        }
        let bytes = (residentBytes() - before) / 200
        var sum = 0.0
        let asking = clock.measure {
            for polygon in polygons {
                sum += polygon.signedDistance(from: Coordinate(latitude: 48.01, longitude: 11.02))
            }
        }
        precondition(sum < 0)
        print(
            "polygon of \(count) points:", (microseconds(making) / 200).text(), "µs to create,",
            (microseconds(asking) / 200).text(), "µs a distance,", bytes, "bytes resident")
    }

    private static func measure(
        _ name: String, _ count: Int, spread: Double, huge: Int = 0, baseline: Double?
    ) -> (mean: Double, bytes: Double) {
        var random = SeededGenerator(seed: 7)
        let start = ContinuousClock.now
        let conditions = (0..<count).map { index -> GeographicCondition in
            let center: Coordinate
            if spread > 1e6 {
                let z = random.uniform(-1...1)
                center = Coordinate(
                    clampingLatitude: asin(z) * 180 / .pi, wrappingLongitude: random.uniform(-180...180))
            } else {
                let angle = random.uniform(0...(2 * .pi))
                center = Field.coordinate(
                    SIMD2(cos(angle), sin(angle)) * spread * random.uniform(0...1).squareRoot())
            }
            let radius = index < huge ? random.uniform(100_000...10_000_000) : random.uniform(50...300)
            guard let circle = try? CircularGeographicCondition(center: center, radius: radius) else {
                preconditionFailure("the radius is valid")
            }
            return .circle(circle)
        }
        let before = residentBytes()
        var set = ConditionSet(start: start)
        let clock = ContinuousClock()
        let added = clock.measure { for condition in conditions { _ = set.add(condition) } }
        var noise = ReceiverNoise(seed: 3)
        var time = 0.0
        var times: [Double] = []
        times.reserveCapacity(fixes)
        func fix(_ place: SIMD2<Double>) -> ConditionFix {
            time += 1
            return ConditionFix(
                coordinate: Field.coordinate(place + noise.next()), accuracy: noise.accuracy,
                time: start + .seconds(time))
        }
        func measured(_ place: SIMD2<Double>) -> Double {
            let fix = fix(place)
            return microseconds(clock.measure { _ = set.observe(fix) })
        }
        let first = max(measured(.zero), measured(.zero))
        for _ in 0..<3 { _ = measured(.zero) }
        // Round and round, within the conditions.
        let round = (0..<fixes).map { index -> ConditionFix in
            let angle = Double(index) * 30 / 5000
            return fix(SIMD2(cos(angle), sin(angle)) * 5000)
        }
        // The mean is of the processor's time, so that other programs on the machine do not count.
        let began = processorMicroseconds()
        for fix in round { times.append(microseconds(clock.measure { _ = set.observe(fix) })) }
        let mean = (processorMicroseconds() - began) / Double(fixes)
        let jump = max(measured(SIMD2(300_000, 0)), measured(SIMD2(0, 0)))
        let resident = Double(max(0, residentBytes() - before)) / Double(count)
        let bytes = Double(set.byteCount) / Double(count)
        print(
            name.padded(to: 40), mean.text(2).leftPadded(to: 14), times.quantile(0.99).text().leftPadded(to: 5),
            (baseline.map { mean / $0 } ?? 1).text().leftPadded(to: 6), bytes.text(0).leftPadded(to: 11),
            (count < 1000 ? "-" : resident.text(0)).leftPadded(to: 9),
            (microseconds(added) / Double(count)).text().leftPadded(to: 12),
            (first / 1000).text(2).leftPadded(to: 13), (jump / 1000).text(2).leftPadded(to: 8))
        // Kept until here, so that it is part of what is resident.
        precondition(set.count == conditions.count)
        return (mean, bytes)
    }

    private static func microseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) * 1e-12
    }

    private static func processorMicroseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    private static func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 128)
        guard fgets(&buffer, 128, file) != nil else { return 0 }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
    }
}
