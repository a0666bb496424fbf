import LocationModel
import TestSupport
import Testing

@testable import locationctl_map

@Suite("geo: links", .timeLimit(.minutes(1)))
struct GeoURITests {
    @Test(
        "a link has a coordinate, and perhaps its uncertainty, a zoom level and a name",
        arguments: [
            ("geo:47.14,9.52", 47.14, 9.52, nil, nil, nil),
            ("GEO:-33.87,151.21", -33.87, 151.21, nil, nil, nil),
            ("geo:47.14,9.52,450", 47.14, 9.52, nil, nil, nil),
            ("geo:90,-180", 90, -180, nil, nil, nil),
            ("geo:47.14,9.52;crs=WGS84;u=12.5;x=y?z=15", 47.14, 9.52, 12.5, 15, nil),
            ("geo:47.14,9.52?z=15.5&q=Town+hall", 47.14, 9.52, nil, 15.5, "Town hall"),
            ("geo:0,0?q=47.14,9.52(Caf%C3%A9+%3Cb%3E)", 47.14, 9.52, nil, nil, "Café <b>"),
            ("geo:0,0?q=47.14%2C9.52()", 47.14, 9.52, nil, nil, nil),
            ("geo:1,2?other&z=3&&more=4", 1, 2, nil, 3, nil),
        ] as [(String, Double, Double, Double?, Double?, String?)])
    private func read(
        text: String, latitude: Double, longitude: Double, uncertainty: Double?, zoom: Double?, name: String?
    ) throws {
        let place = try GeoURI(text)
        #expect(place.coordinate == Coordinate(latitude: latitude, longitude: longitude))
        #expect(place.uncertainty == uncertainty && place.zoom == zoom && place.name == name)
    }

    @Test(
        "anything else is an error that says what is wrong",
        arguments: [
            ("geo:", "has the form"), ("geo:47.14", "has the form"), ("geo:47.14,9.52,1,2", "has the form"),
            ("geo:a,b", "has the form"), ("geo:+47,9", "has the form"), ("geo:4e1,9", "has the form"),
            ("geo:47.,9", "has the form"), ("geo:.5,9", "has the form"), ("geo: 47,9", "has the form"),
            ("geo:47,9\u{1B}[31m", "has the form"), ("geo:٤٧,9", "has the form"), ("geo:nan,9", "has the form"),
            ("geo:91,9", "outside of the world"), ("geo:47,180.1", "outside of the world"),
            ("geo:47,9;crs=moon", "WGS 84"), ("geo:47,9;u=-1", "uncertainty"), ("geo:47,9;u", "uncertainty"),
            ("geo:47,9?z=23", "0 to 22"), ("geo:47,9?z=", "0 to 22"), ("geo:47,9?z=-1", "0 to 22"),
            ("geo:47,9?q=%FF", "UTF-8"), ("geo:47,9?q=%4", "UTF-8"), ("geo:47,9?q=%zz", "UTF-8"),
            ("geo:47,9?q=" + String(repeating: "a", count: 2048), "longer than 2048"),
            ("geo:0,0?q=Town+hall+'$(reboot)", "run: locationctl search 'Town hall $(reboot)'"),
        ])
    func refuse(text: String, words: String) {
        let error = #expect(throws: GeoURI.Invalid.self) { try GeoURI(text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("a name has at most 200 characters")
    func longName() throws {
        #expect(try GeoURI("geo:1,2?q=" + String(repeating: "a", count: 1000)).name?.count == 200)
    }

    @Test("the program prints the error and ends")
    func program() async throws {
        let result = try await ChildProcess.run([Products.locationctlMap, "geo:91,0"])
        #expect(result.code == 1)
        #expect(
            result.errors == "The geo: link is outside of the world: latitudes are -90 to 90, longitudes -180 to 180.\n"
        )
    }
}
