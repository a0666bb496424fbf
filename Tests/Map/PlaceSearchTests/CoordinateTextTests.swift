import LocationModel
import PlaceSearch
import Testing

@Suite("Positions as text", .timeLimit(.minutes(10)))
struct CoordinateTextTests {
    @Test(
        "the usual notations are read",
        arguments: [
            "47.141, 9.5215", "47.141 9.5215", "47.141,9.5215", "47,141; 9,5215", "47,141 9,5215", "+47.141 +9.5215",
            "47.141° N, 9.5215° E", "N 47.141 E 9.5215", "47.141N 9.5215E", "9.5215 E, 47.141 N", "E9.5215 N47.141",
            "47°08'27.6\"N 9°31'17.4\"E", "47° 08′ 27.6″ N, 9° 31′ 17.4″ E", "N 47° 8.46' E 9° 31.29'",
            "47 8 27.6 9 31 17.4", "47 8.46 N 9 31.29 E", "47 8.46 9 31.29", "(47.141, 9.5215)", "[47.141 9.5215]",
            "lat 47.141 lon 9.5215", "Latitude: 47.141 Longitude: 9.5215", "lat=47.141&lng=9.5215",
            "Lat/Lon: 47.141, 9.5215",
            "lon 9.5215 lat 47.141", "{\"lat\": 47.141, \"lng\": 9.5215}", "47.141,9.5215,17z", "47.141, 9.5215, 430",
            "47°08'27.6''N 9°31'17.4''E", "47°08´27.6\"N 9°31´17.4\"E", "47°08′27,6″N 9°31′17,4″E",
            "47d08m27.6sN 9d31m17.4sE",
            "47d 8m 27.6s, 9d 31m 17.4s", "47D08M27.6S N 9D31M17.4S E", "<47.141, 9.5215>", "@47.141,9.5215,17z",
            "47 deg 8.46 min N 9 deg 31.29 min E", "47-08-27.6N 9-31-17.4E",
            "47:08:27.6N 9:31:17.4E", "+47.141+009.5215/", "N 47.141 - E 9.5215", "47.141 North, 9.5215 East",
            "47.141 Nord 9.5215 Ost", "9.5215 Est 47.141 Nord", "47.141 norte 9.5215 este", "47.141 norte 9.5215 leste",
            "北緯47度08分27.6秒 東経9度31分17.4秒", "４７．１４１，９．５２１５", "٤٧٫١٤١ شمالاً ٩٫٥٢١٥ شرقاً",
            "47°08′27.6″ с. ш. 9°31′17.4″ в. д.", "8FVF4GRC+CJ", "北纬47.141 东经9.5215", "47.141 NB 9.5215 OL",
            // Of databases, receivers and XML.
            "POINT(9.5215 47.141)", "SRID=4326;POINT (9.5215 47.141)", "Point Z (9.5215 47.141 430)",
            "4708.46N 00931.29E", "4708.46,N,00931.29,E", "N4708.46 E00931.29", "470827.6N0093117.4E",
            "+4708.46+00931.29/",
            "+470827.6+0093117.4/", "lat=\"47.141\" lon=\"9.5215\"", "<wpt lat='47.141' lon='9.5215'>",
            "x=9.5215 y=47.141",
            "Y: 47.141 X: 9.5215", "WGS84 47.141, 9.5215", "Pos 47°08.46'N / 009°31.29'E", "47.141, 9.5215 (Bus stop)",
        ])
    func notations(_ text: String) throws {
        let coordinate = try #require(CoordinateText.coordinate(text))
        #expect(coordinate.distance(to: Coordinate(latitude: 47.141, longitude: 9.5215)) < 9, "\(coordinate)")
    }

    @Test(
        "four numbers are two angles of degrees and minutes, and the sign of 0 counts",
        arguments: [
            ("48 12 16 22", 48.2, 16.366667), ("-34 36 -58 23", -34.6, -58.383333),
            ("64 8 -21 56", 64.133333, -21.933333),
            ("-0 30 -0 15", -0.5, -0.25), ("-0 30 0 15", -0.5, 0.25), ("51 28.5 -0 15.2", 51.475, -0.253333),
            ("51° 28' -0° 15'", 51.466667, -0.25), ("0 30 S 0 15 W", -0.5, -0.25),
            // Minutes are below 60: a longitude of whole degrees.
            ("10 20 30 100", 10.341667, 100), ("−0°07′30″ 0°07′30″", -0.125, 0.125),
        ])
    func degreesAndMinutes(text: String, latitude: Double, longitude: Double) throws {
        let expected = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let found = CoordinateText.readings(of: text, language: nil)
        #expect(found.count == 1 && found[0].distance(to: expected) < 1, "\(found)")
    }

    @Test(
        "O means west or east by the language, and both without one that decides",
        arguments: [
            ("fr", [-9.5]), ("es", [-9.5]), ("pt", [-9.5]), ("it", [-9.5]), ("de", [9.5]), ("nl", [9.5]),
            ("en", [-9.5, 9.5]),
            (nil, [-9.5, 9.5]),
        ] as [(String?, [Double])])
    func directionO(language: String?, longitudes: [Double]) {
        for text in ["38°43'N 9°30'O", "N 38 43 O 9 30", "38.716667 N, 9.5 O"] {
            let found = CoordinateText.readings(of: text, language: language)
            #expect(found.map(\.longitude) == longitudes, "\(text)")
            #expect((CoordinateText.coordinate(text, language: language) == nil) == (longitudes.count > 1))
        }
        #expect(CoordinateText.readings(of: "38°43'N 9°30' Ouest", language: language).map(\.longitude) == [-9.5])
    }

    @Test("five numbers without signs have two readings, and no silent one")
    func twoReadings() {
        let found = CoordinateText.readings(of: "48 12 16 16 22", language: nil)
        #expect(found.count == 2 && found[0].longitude < found[1].longitude)
        #expect(CoordinateText.coordinate("48 12 16 16 22") == nil)
        #expect(CoordinateText.readings(of: "48°12'16\" 16 22", language: nil).count == 1)
    }

    @Test(
        "text that looks like another notation and is not is no coordinate",
        arguments: [
            "POINT(200 47)", "POINT(9.5)", "SRID=31287;POINT(9.5 47.1)", "POINT(9.5 47.1) x", "4775.00N 00931.29E",
            "4708.46 931.29", "POINT()", "point (9.5, 47.1", "12 16 (Vienna)", "40000000N 5E",
        ])
    func otherTexts(_ text: String) { #expect(CoordinateText.readings(of: text).isEmpty) }

    @Test("a leading zero of packed degrees and minutes counts")
    func packedZero() {
        #expect(CoordinateText.coordinate("0030.00N 00015.00W") == Coordinate(latitude: 0.5, longitude: -0.25))
        #expect(CoordinateText.coordinate("48.2 y 16.4") == Coordinate(latitude: 48.2, longitude: 16.4))
    }

    @Test("south and west are negative")
    func signs() {
        let sydney = Coordinate(latitude: -33.8688, longitude: 151.2093)
        for text in [
            "-33.8688, 151.2093", "33.8688 S 151.2093 E", "33°52'7.68\"S 151°12'33.48\"E", "−33.8688 151.2093",
            // A sign and a letter are not twice below zero.
            "-33.8688 S, 151.2093 E",
        ] {
            #expect(CoordinateText.coordinate(text).map { $0.distance(to: sydney) < 1 } == true, "\(text)")
        }
        #expect(CoordinateText.coordinate("10 W 20 S") == Coordinate(latitude: -20, longitude: -10))
    }

    @Test(
        "an invalid position is refused",
        arguments: [
            "", "47.141", "vaduz", "91, 0", "0, 181", "1 2 3", "bahnhofstrasse 5 7", "47.141, x", "north 1 by 2",
            "N N 1 2", "1..2, 3", "47°61'N 9°E", "https://example.org/", "12 a", "5 e", "5 e 12", "12 s 5", "47 N 9 N",
            "lat 47 lat 9", "lat 47 E lon 9 N", "47 8 -9 31 5 6 7", "47 8.5 9.5 31", "1 2 3 4 5 6 7 8 9", "4e1 9",
            "nan nan",
            "1,2,3,4,5,6,7,8", "47° 8° 9° 31°", "47' 9'",
        ])
    func none(_ text: String) { #expect(CoordinateText.readings(of: text, language: "pt").isEmpty) }
}
