import ConditionSimulation
import LocationConditions

/// Borders of a circle of 100 m, crossed with a receiver that is always on.
enum BorderTable {
    private static let seeds = UInt64(1)...1000

    static func measure() -> Bool {
        print(
            "\(seeds.count) runs each, radius 100 m, radius of doubt \((2.5 * ReceiverNoise(seed: 1).accuracy).text()) m"
        )
        print(
            "".padded(to: 44), "events: mean  most  missed  early  wrong end  delay s: median  95 %  worst   aim")
        var isReached = true
        func row(_ crossing: Crossing, expecting: Int?, most: Int?, end: ConditionState?, aim: Bool = true) {
            let outcomes = seeds.map { crossing.run(seed: $0) }
            let counts = outcomes.map(\.states.count)
            let missed = expecting.map { expecting in counts.filter { $0 < expecting }.count } ?? 0
            let early = outcomes.map(\.early).reduce(0, +)
            let wrongEnd = end.map { end in outcomes.filter { $0.last != end }.count } ?? 0
            let delays = outcomes.flatMap(\.delays)
            let isGood =
                missed == 0 && wrongEnd == 0 && counts.max() ?? 0 <= most ?? .max && (early == 0 || expecting == nil)
            if aim, !isGood { isReached = false }
            let mean = Double(counts.reduce(0, +)) / Double(counts.count)
            print(
                crossing.name.padded(to: 44), mean.text(2).leftPadded(to: 12),
                "\(counts.max() ?? 0)".leftPadded(to: 5), "\(missed)".leftPadded(to: 7), "\(early)".leftPadded(to: 6),
                "\(wrongEnd)".leftPadded(to: 10), delays.quantile(0.5).text().leftPadded(to: 16),
                delays.quantile(0.95).text().leftPadded(to: 5), delays.quantile(1).text().leftPadded(to: 6),
                aim ? (isGood ? "  reached" : "  MISSED") : "       -")
        }
        func standing(_ name: String, at distance: Double) -> Crossing {
            Crossing(name, from: SIMD2(distance, 0), speed: 0, duration: 3600)
        }
        // The first determination counts as an event here.
        row(standing("standing on the border, 1 h", at: 100), expecting: nil, most: 2, end: nil)
        row(standing("standing 5 m inside, 1 h", at: 95), expecting: nil, most: 2, end: nil)
        var optimist = standing("the same, accuracy stated as half", at: 100)
        optimist.statedScale = 0.5
        row(optimist, expecting: nil, most: nil, end: nil, aim: false)
        for (name, aside) in [("centre", 0.0), ("60 m aside", 60), ("75 m aside, 25 m deep", 75)] {
            let passage = Crossing("passing at 30 m/s, \(name)", from: SIMD2(-400, aside), speed: 30, duration: 60)
            row(passage, expecting: 2, most: 2, end: .unsatisfied, aim: true)
        }
        for depth in [20.0, 17, 14, 11, 8] {
            let passage = Crossing(
                "passing at 30 m/s, \(depth.text(0)) m deep", from: SIMD2(-400, 100 - depth), speed: 30, duration: 60)
            row(passage, expecting: 2, most: 2, end: .unsatisfied, aim: false)
        }
        row(
            Crossing("walking through at 1.4 m/s", from: SIMD2(-150, 0), speed: 1.4, duration: 260),
            expecting: 2, most: 2, end: .unsatisfied)
        var tunnel = Crossing("tunnel: in and out during a gap of 20 s", from: SIMD2(-400, 0), speed: 30, duration: 60)
        tunnel.gap = 8...28
        row(tunnel, expecting: 0, most: 0, end: .unsatisfied)
        var garage = Crossing("gap of 20 s that ends inside", from: SIMD2(-600, 0), speed: 30, duration: 22)
        garage.gap = 1...20
        row(garage, expecting: 1, most: 1, end: .satisfied)
        var wifi = standing("unknown, at the centre, Wi-Fi 38 m every 30 s", at: 0)
        (wifi.sigma, wifi.interval) = (25, 30)
        row(wifi, expecting: 1, most: 1, end: .satisfied)
        wifi.sigma = 100
        wifi.name = "the same, Wi-Fi 151 m"
        row(wifi, expecting: 0, most: 0, end: .unknown)
        return isReached
    }
}
