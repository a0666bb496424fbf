import CommandLineSupport
import LocationClient
import Testing

@testable import locationctl

@Suite("Units and notations", .timeLimit(.minutes(10)))
struct UnitsTests {
    @Test(
        "the units are those of the locale's territory",
        arguments: [
            ([:], UnitSystem.metric), (["LANG": "en_US.UTF-8"], .imperial), (["LANG": "en_GB.UTF-8"], .metric),
            (["LANG": "en_US.UTF-8", "LC_MEASUREMENT": "de_DE.UTF-8"], .metric),
            (["LC_ALL": "C", "LC_MEASUREMENT": "en_US"], .metric), (["LANG": "my_MM"], .imperial),
        ])
    func locale(environment: [String: String], units: UnitSystem) {
        #expect(UnitSystem.of { environment[$0] } == units)
    }

    @Test(
        "an angle in each notation",
        arguments: [
            (CoordinateNotation.decimal, 50.978333, "50.978333° N"), (.ddm, 50.978333, "50° 58.7000′ N"),
            (.dms, 50.978333, "50° 58′ 42.00″ N"), (.ddm, -3.5, "03° 30.0000′ S"),
            // Rounded up to the next degree, not to 60 minutes.
            (.ddm, 9.99999999, "10° 00.0000′ N"), (.dms, 9.99999999, "10° 00′ 00.00″ N"),
        ])
    func angle(notation: CoordinateNotation, degrees: Double, text: String) {
        #expect(notation.latitude(degrees) == text)
    }

    @Test("a longitude has three digits, as on charts")
    func longitude() {
        #expect(CoordinateNotation.ddm.longitude(11.025) == "011° 01.5000′ E")
        #expect(CoordinateNotation.decimal.longitude(11.025) == "11.025000° E")
    }

    @Test(
        "lengths and speeds in each system",
        arguments: [
            (UnitSystem.metric, ["34 m", "±3 m", "850 m", "12.3 km", "18.5 km/h"]),
            (.imperial, ["112 ft", "±10 ft", "0.53 mi", "7.67 mi", "11.5 mph"]),
            (.nautical, ["112 ft", "±10 ft", "0.46 NM", "6.66 NM", "10.0 kn"]),
        ])
    func quantities(units: UnitSystem, texts: [String]) {
        #expect(
            [
                Quantity.height(34, units), Quantity.accuracy(3, units), Quantity.distance(850, units),
                Quantity.distance(12_340, units), Quantity.speed(5.1444, units),
            ] == texts)
    }

    @Test(
        "a scale bar is round in its unit",
        arguments: [
            (UnitSystem.metric, 10.0, "200 m"), (.metric, 100, "2 km"), (.imperial, 10, "500 ft"),
            (.imperial, 100, "1 mi"),
            (.nautical, 10, "0.1 NM"), (.nautical, 100, "1 NM"), (.nautical, 1, "50 ft"),
        ])
    func scaleBar(units: UnitSystem, metresPerColumn: Double, length: String) {
        #expect(TerminalScaleBar(metresPerColumn: metresPerColumn, limit: 20, units: units)?.length == length)
    }

    @Test("ASCII output has a substitute for everything that this program prints")
    func ascii() {
        #expect(
            Charset.ascii.encodable("±3 m, 50° 58.7000′ N, “Don’t” → …") == "+/-3 m, 50 58.7000' N, \"Don't\" > ...")
        #expect(Charset.unicode.encodable("±3 m") == "±3 m")
        #expect(
            Charset.ascii.encodable("Zürich, Łódź, Straße, Ærø, İzmir, București")
                == "Zurich, Lodz, Strasse, AEro, Izmir, Bucuresti")
        #expect(Charset.ascii.encodable("東京") == "??")
    }
}
