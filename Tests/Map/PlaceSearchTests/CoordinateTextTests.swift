import LocationModel
import PlaceSearch
import Testing

@Suite("Positions as text", .timeLimit(.minutes(3)))
struct CoordinateTextTests {
    @Test(
        "the usual notations are read",
        arguments: [
            "47.141, 9.5215", "47.141 9.5215", "47.141,9.5215", "47,141; 9,5215", "47,141 9,5215", "+47.141 +9.5215",
            "47.141° N, 9.5215° E", "N 47.141 E 9.5215", "47.141N 9.5215E", "9.5215 E, 47.141 N", "E9.5215 N47.141",
            "47°08'27.6\"N 9°31'17.4\"E", "47° 08′ 27.6″ N, 9° 31′ 17.4″ E", "N 47° 8.46' E 9° 31.29'",
            "47 8 27.6 9 31 17.4", "47 8.46 N 9 31.29 E", "geo:47.141,9.5215", "geo:47.141,9.5215,430;u=35",
            "https://www.openstreetmap.org/#map=15/47.141/9.5215",
            "https://www.openstreetmap.org/?mlat=47.141&mlon=9.5215#map=15/1/2x",
            "https://www.google.com/maps/@47.141,9.5215,15z", "https://maps.google.com/?q=47.141,9.5215",
        ])
    func notations(_ text: String) throws {
        let coordinate = try #require(CoordinateText.coordinate(text))
        #expect(coordinate.distance(to: Coordinate(latitude: 47.141, longitude: 9.5215)) < 1)
    }

    @Test("south and west are below zero")
    func signs() {
        let sydney = Coordinate(latitude: -33.8688, longitude: 151.2093)
        for text in [
            "-33.8688, 151.2093", "33.8688 S 151.2093 E", "33°52'7.68\"S 151°12'33.48\"E", "−33.8688 151.2093",
        ] {
            #expect(CoordinateText.coordinate(text).map { $0.distance(to: sydney) < 1 } == true, "\(text)")
        }
        #expect(CoordinateText.coordinate("10 W 20 S") == Coordinate(latitude: -20, longitude: -10))
    }

    @Test(
        "what is no position is none",
        arguments: [
            "", "47.141", "vaduz", "91, 0", "0, 181", "1 2 3", "bahnhofstrasse 5 7", "47.141, x", "north 1 east 2",
            "N N 1 2", "1..2, 3", "47°61'N 9°E", "geo:x,y", "https://example.org/", "12 a", "5 e",
        ])
    func none(_ text: String) { #expect(CoordinateText.coordinate(text) == nil) }
}
