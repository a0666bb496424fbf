import Testing

@testable import MapModel

@Suite("Distances as text")
struct DistanceFormatterTests {
    private func text(
        _ distance: Double, _ units: DistanceFormatter.Units, _ style: DistanceFormatter.UnitStyle = .default
    ) -> String {
        var formatter = DistanceFormatter()
        (formatter.units, formatter.unitStyle) = (units, style)
        return formatter.string(fromDistance: distance)
    }

    @Test(
        "a distance is as precise as a traveller needs it",
        arguments: [
            (0, "0 m", "0 ft", "0 yd"), (-5, "0 m", "0 ft", "0 yd"), (.nan, "0 m", "0 ft", "0 yd"),
            (3.4, "3 m", "11 ft", "4 yd"), (99.6, "100 m", "330 ft", "110 yd"), (123, "120 m", "400 ft", "130 yd"),
            (949, "950 m", "0.6 mi", "0.6 mi"), (950, "1 km", "0.6 mi", "0.6 mi"), (1609.344, "1.6 km", "1 mi", "1 mi"),
            (9949, "9.9 km", "6.2 mi", "6.2 mi"), (9960, "10 km", "6.2 mi", "6.2 mi"),
            (20_003_931, "20,004 km", "12,430 mi", "12,430 mi"),
            (.infinity, "1,000,000,000 km", "621,371,192 mi", "621,371,192 mi"),
        ] as [(Double, String, String, String)])
    func texts(distance: Double, metric: String, imperial: String, yards: String) {
        #expect(text(distance, .metric) == metric)
        #expect(text(distance, .imperial) == imperial)
        #expect(text(distance, .imperialWithYards) == yards)
    }

    @Test("units are written out in the full style, in the singular for one")
    func words() {
        #expect(text(1, .metric, .full) == "1 metre")
        #expect(text(2400, .metric, .full) == "2.4 kilometres")
        #expect(text(0.3048, .imperial, .full) == "1 foot")
        #expect(text(1609.344, .imperial, .full) == "1 mile")
        #expect(text(100, .imperialWithYards, .full) == "110 yards")
    }

    @Test("a distance is read in any unit, and other text is not")
    func reading() {
        let formatter = DistanceFormatter()
        let read: [(String, Double)] = [
            ("350 m", 350), ("2.4km", 2400), ("1,200 Feet", 365.76), ("1 mile", 1609.344), ("10 yd", 9.144),
            ("12 meters", 12),
        ]
        for (text, distance) in read {
            #expect(formatter.distance(from: text).map { abs($0 - distance) < 1e-9 } == true, "\(text)")
        }
        for text in ["", "12", "km", "-3 m", "1.2.3 m", "3 parsecs", "nan m", "1e3 m"] {
            #expect(formatter.distance(from: text) == nil, "\(text)")
        }
    }

    @Test("the units of the locale are those of its territory")
    func locales() {
        #expect(DistanceFormatter.units { $0 == "LANG" ? "en_US.UTF-8" : nil } == .imperial)
        #expect(DistanceFormatter.units { $0 == "LC_MEASUREMENT" ? "de_DE" : "en_US" } == .imperial)
        #expect(DistanceFormatter.units { ["LC_MEASUREMENT": "de_DE", "LANG": "en_US"][$0] } == .metric)
        #expect(DistanceFormatter.units { $0 == "LANG" ? "en_GB" : nil } == .imperialWithYards)
        #expect(DistanceFormatter.units { _ in nil } == .metric)
    }
}
