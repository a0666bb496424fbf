import LocationModel
import PlaceSearch
import Testing

@Suite("Links of maps", .timeLimit(.minutes(10)))
struct MapLinkTests {
    @Test(
        "a geo: link has a coordinate, and perhaps its uncertainty, a zoom level and a name",
        arguments: [
            ("geo:47.14,9.52", 47.14, 9.52, nil, nil, nil),
            ("GEO:-33.87,151.21", -33.87, 151.21, nil, nil, nil),
            ("geo:47.14,9.52,450", 47.14, 9.52, nil, nil, nil),
            ("geo:90,-180", 90, -180, nil, nil, nil),
            ("geo:0,0", 0, 0, nil, nil, nil),
            ("geo:47.14,9.52;crs=WGS84;u=12.5;x=y?z=15", 47.14, 9.52, 12.5, 15, nil),
            ("geo:47.14,9.52?z=15.5&q=Town+hall", 47.14, 9.52, nil, 15.5, "Town hall"),
            ("geo:0,0?q=47.14,9.52(Caf%C3%A9+%3Cb%3E)", 47.14, 9.52, nil, nil, "Café <b>"),
            ("geo:0,0?z=12&q=-34.6037,-58.3816(Obelisco)", -34.6037, -58.3816, nil, 12, "Obelisco"),
            ("geo:0,0?q=47.14%2C9.52()", 47.14, 9.52, nil, nil, nil),
            ("geo:1,2?other&z=3&&more=4", 1, 2, nil, 3, nil),
            // Parameters that cannot be read, and signs in other places.
            ("geo:47.14,9.52?z=23", 47.14, 9.52, nil, nil, nil), ("geo:47.14,9.52?z=", 47.14, 9.52, nil, nil, nil),
            ("geo:47.14,9.52;u=-1;u?z=-1", 47.14, 9.52, nil, nil, nil),
            ("geo:47.14,9.52?q=%4", 47.14, 9.52, nil, nil, "%4"),
            ("geo://47.14,9.52", 47.14, 9.52, nil, nil, nil), ("geo:47.14, 9.52", 47.14, 9.52, nil, nil, nil),
            ("geo:47.14,9.52&z=12", 47.14, 9.52, nil, 12, nil), ("geo:47.14%2C9.52", 47.14, 9.52, nil, nil, nil),
            ("geo:47.14,9.52(Town hall)?z=9", 47.14, 9.52, nil, 9, "Town hall"),
            // Decimal commas, as a program writes them that formats numbers for its user.
            ("geo:47,14,9,52", 47.14, 9.52, nil, nil, nil), ("geo:-33,87;151,21?z=9", -33.87, 151.21, nil, 9, nil),
            ("<geo:47.14,9.52>", 47.14, 9.52, nil, nil, nil),
        ] as [(String, Double, Double, Double?, Double?, String?)])
    private func read(
        text: String, latitude: Double, longitude: Double, uncertainty: Double?, zoom: Double?, name: String?
    ) throws {
        let link = try #require(MapLink(text))
        #expect(link.coordinate == Coordinate(latitude: latitude, longitude: longitude))
        #expect(link.uncertainty == uncertainty && link.zoom == zoom && link.name == name, "\(link)")
    }

    @Test(
        "the place comes before the centre of the window, in links of every kind",
        arguments: [
            "https://www.google.com/maps/place/Schloss/@47.2,9.6,14z/data=!4m6!8m2!3d47.14!4d9.52?entry=ttu",
            "https://www.google.com/maps/@47.14,9.52,15z", "https://www.google.de/maps?q=47.14%2C9.52%28Tor%29&z=3",
            "https://maps.google.com/?q=loc:47.14,9.52", "https://maps.google.com/maps?q=Tor@47.14,9.52",
            "https://www.google.com/maps/search/?api=1&query=47.14%2C+9.52",
            "https://www.google.com/maps/search/47.14,+9.52?hl=de",
            "https://www.google.com/maps/dir/46.9,7.4/47.14,9.52/@47,8,9z",
            "https://www.google.com/maps/dir/A/B/@47,8,9z/data=!4m9!4m8!1m3!2m2!1d7.4!2d46.9!1m3!2m2!1d9.52!2d47.14",
            "https://www.google.com/maps/dir/?api=1&origin=46.9,7.4&destination=47.14,9.52",
            "https://www.google.com/maps/place/47%C2%B008'24.0%22N+9%C2%B031'12.0%22E/@47.2,9.6,17z",
            "https://www.openstreetmap.org/?mlat=47.14&mlon=9.52#map=15/47.2/9.6",
            "https://www.openstreetmap.org/#map=15/47.14/9.52&layers=T",
            "https://www.openstreetmap.org/directions?route=46.9%2C7.4%3B47.14%2C9.52#map=8/47/8",
            "https://www.openstreetmap.org/search?query=47.14%2C9.52#map=8/47/8",
            "https://maps.apple.com/?ll=47.14,9.52&q=Tor", "https://maps.apple.com/?daddr=47.14,9.52",
            "https://maps.apple.com/place?coordinate=47.14,9.52&name=Tor",
            "https://www.bing.com/maps?cp=47.2~9.6&lvl=15&sp=point.47.14_9.52_Tor",
            "https://bing.com/maps/default.aspx?cp=47.14~9.52&lvl=15",
            "https://bing.com/maps?rtp=pos.46.9_7.4_A~pos.47.14_9.52_B",
            "maps.google.com/?q=47.14,9.52", "//www.openstreetmap.org/#map=17/47.14/9.52",
            "“https://www.openstreetmap.org/?mlat=47.14&mlon=9.52”", "www.google.com/maps/@47.14,9.52,15z",
            "waze://?ll=47.14,9.52", "here-route://mylocation/47.14,9.52",
            "https://yandex.ru/maps/?whatshere%5Bpoint%5D=9.52%2C47.14&whatshere%5Bzoom%5D=16",
            "https://2gis.ru/moscow/geo/9.52,47.14",
            "https://mapy.cz/turisticka?source=coor&id=9.52%2C47.14&x=16.4&y=48.3",
            "https://graphhopper.com/maps/?point=46.9,7.4&point=47.14,9.52", "https://www.windy.com/47.14/9.52",
            "https://www.windy.com/?47.14,9.52,8",
            "https://geohack.toolforge.org/geohack.php?params=47_8_24_N_9_31_12_E_type:city",
            "https://geohack.toolforge.org/geohack.php?params=47.14;9.52",
            "https://osmand.net/map?pin=47.14,9.52#15/47.2/9.6", "https://osmand.net/map#15/47.14/9.52",
            "https://osmand.net/go?lat=47.14&lon=9.52&z=15", "https://waze.com/ul?ll=47.14,9.52&navigate=yes",
            "https://yandex.com/maps/?ll=9.52%2C47.14&z=12", "https://mapy.cz/zakladni?x=9.52&y=47.14&z=15",
            "https://share.here.com/l/47.14,9.52,Tor", "google.navigation:q=47.14,9.52&mode=w",
            "om://map?v=1&ll=47.14,9.52",
        ])
    func pages(_ text: String) throws {
        let link = try #require(MapLink(text))
        #expect(link.coordinate == Coordinate(latitude: 47.14, longitude: 9.52), "\(link)")
    }

    @Test(
        "a link that names a place has its name, and no coordinate",
        arguments: [
            ("geo:0,0?q=Rathausgasse%203,Bern", "Rathausgasse 3,Bern"),
            ("geo:?q=Town+hall+'$(reboot)", "Town hall '$(reboot)"),
            ("https://www.google.com/maps/search/pizza+bern/@47.2,9.6,14z", "pizza bern"),
            ("https://www.google.com/maps/place/Bundesplatz+3", "Bundesplatz 3"),
            ("https://maps.google.com/?q=Bundesplatz+3,+Bern", "Bundesplatz 3, Bern"),
            ("https://maps.apple.com/?address=Bundesplatz%203,%20Bern", "Bundesplatz 3, Bern"),
        ])
    func names(text: String, name: String) throws {
        let link = try #require(MapLink(text))
        #expect(link.coordinate == nil && link.name == name, "\(link)")
    }

    @Test(
        "text without a position and a name is not a link",
        arguments: [
            "geo:", "geo:47.14", "geo:a,b", "geo:0,0?q=", "geo:nan,9", "geo:inf,9", "geo:91,9", "geo:47,180.1",
            "geo:1..2,9",
            "geo:47,9;crs=moon", "geo:47,9\u{1B}[31m", "47.14,9.52", "/tmp/geo.gpx", "https://example.org/",
            "https://www.openstreetmap.org/node/123", "http://", "https://www.openstreetmap.org/#map=15/91/9",
            "geo:47,9?q=" + String(repeating: "a", count: 2048),
        ])
    func none(_ text: String) { #expect(MapLink(text) == nil) }

    @Test("a name has at most 200 characters, on one line")
    func longName() throws {
        #expect(MapLink("geo:1,2?q=" + String(repeating: "a", count: 1000))?.name?.count == 200)
        #expect(MapLink("geo:1,2?q=a%0A%09b")?.name == "a b")
    }
}
