import MapModel
import Testing

@Suite(.timeLimit(.minutes(10))) struct ScaleBarTests {
    private static let table: [(Double, ScaleBar.System, String, Double)] = [
        (1, .metric, "100 m", 100), (0.99, .metric, "50 m", 50.505_051), (37, .metric, "2 km", 54.054_054),
        (9.9, .metric, "500 m", 50.505_051), (0.02, .metric, "2 m", 100), (0.004, .metric, "20 cm", 50),
        (40_000, .metric, "2000 km", 50), (200_000, .metric, "20,000 km", 100), (1, .imperial, "200 ft", 60.96),
        (9, .imperial, "0.5 mi", 89.408), (20, .imperial, "1 mi", 80.4672), (0.002, .imperial, "5 in", 63.5),
    ]

    @Test("the length is one, two or five times a power of ten", arguments: table)
    func lengthIsOneTwoOrFive(metersPerPixel: Double, system: ScaleBar.System, text: String, width: Double) throws {
        let bar = try #require(ScaleBar(metersPerPixel: metersPerPixel, maximumWidth: 100, system: system))
        #expect(bar.text == text)
        #expect(abs(bar.width - width) < 1e-6)
    }

    @Test(
        "the bar fills a good part of the width and never exceeds it", arguments: [ScaleBar.System.metric, .imperial])
    func barFillsWidthWithinRoom(system: ScaleBar.System) throws {
        // From a centimetre on the screen to half of the earth.
        for step in 0..<300 {
            let scale = 0.0001 * Double(sign: .plus, exponent: step / 10, significand: 1 + Double(step % 10) / 10)
            let bar = try #require(ScaleBar(metersPerPixel: scale, maximumWidth: 120, system: system))
            #expect(bar.width <= 120 * (1 + 1e-9) && bar.width >= 120 / 2.6, "\(scale) \(bar)")
            #expect(abs(bar.width * scale - bar.meters) < 1e-6 * bar.meters)
        }
    }

    @Test("invalid values give no bar")
    func nonsenseHasNoBar() {
        for value in [0, -1, .nan, .infinity] { #expect(ScaleBar(metersPerPixel: value, system: .metric) == nil) }
        #expect(ScaleBar(metersPerPixel: 1, maximumWidth: 0, system: .metric) == nil)
    }

    @Test("an adaptive compass is visible on a rotated map only")
    func adaptiveCompassIsVisibleOnRotatedMap() {
        #expect(FeatureVisibility.adaptive.showsCompass(heading: 30))
        #expect(!FeatureVisibility.adaptive.showsCompass(heading: 359.8))
        #expect(
            FeatureVisibility.visible.showsCompass(heading: 0) && !FeatureVisibility.hidden.showsCompass(heading: 90))
        #expect(
            FeatureVisibility.adaptive.showsScale(isZooming: true)
                && !FeatureVisibility.adaptive.showsScale(isZooming: false))
    }
}
