import FoundationEssentials
import MapModel
import Testing

@testable import LocationMap

@Suite("Controls")
@MainActor
struct ControlTests {
    @Test("a scale's text is at the side of its alignment")
    func alignment() throws {
        let map = MapView()
        let page = try FakePage(map)
        func alignment() throws -> String? {
            try page.state()["controls"]?.array.first { $0["kind"]?.string == "scale" }?["alignment"]?.string
        }
        let scale = ScaleView(mapView: map)
        map.addControl(scale)
        #expect(try alignment() == nil)
        scale.legendAlignment = .trailing
        #expect(try alignment() == "trailing")
    }

    @Test("a control has the background, border and corners that the program sets")
    func layer() throws {
        let map = MapView()
        let page = try FakePage(map)
        func layer() throws -> JSON? {
            try page.state()["controls"]?.array.first { $0["kind"]?.string == "tracking" }?["layer"]
        }
        let button = UserTrackingButton(mapView: map)
        map.addControl(button)
        #expect(try layer() == nil)
        // As the sample does it.
        button.layer.backgroundColor = Color(white: 1, alpha: 0.8)
        button.layer.borderColor = Color.white
        button.layer.borderWidth = 1
        button.layer.cornerRadius = 5
        button.layer.masksToBounds = true
        let shown = try #require(try layer())
        #expect(shown["background"]?.string == "#ffffffcc" && shown["border"]?.string == "#ffffff")
        #expect(shown["borderWidth"]?.number == 1 && shown["cornerRadius"]?.number == 5)
        #expect(shown["masksToBounds"]?.bool == true && shown["inks"]?["text"]?.string == "#000000")
        // Above the dark land of satellite images another colour is legible.
        button.layer.backgroundColor = Color(white: 0, alpha: 0.5)
        let translucent = try #require(try layer())
        #expect(translucent["inks"]?["text"]?.string == "light-dark(#000000, #ffffff)")
        #expect(translucent["imageryInks"]?["text"]?.string == "#ffffff")
        button.layer = ControlLayer()
        #expect(try layer() == nil)
    }

    @Test("the lengths of a layer are bounded")
    func bounds() {
        var layer = ControlLayer()
        for (length, bounded) in [(-1.0, 0.0), (.nan, 0), (3, 3), (.infinity, 20)] {
            layer.borderWidth = length
            #expect(layer.borderWidth == bounded)
        }
        for (length, bounded) in [(-1.0, 0.0), (.nan, 0), (22, 22), (.infinity, 100)] {
            layer.cornerRadius = length
            #expect(layer.cornerRadius == bounded)
        }
    }

    @Test(
        "icons and text are legible on any background, light and dark",
        arguments: [
            .white, .black, .blue, .orange, .gray, .background, .clear, Color(white: 1, alpha: 0.8),
            Color(white: 0, alpha: 0.5), ControlLayer.lightAccent, ControlLayer.darkAccent,
        ] as [Color])
    func legible(background: Color) {
        for ground in [ControlLayer.land, ControlLayer.imagery] {
            let seen = background.over(ground)
            for isDark in [false, true] {
                #expect(ControlLayer.accent(on: seen).contrast(to: seen, isDark: isDark) >= 3)
                #expect(seen.text.contrast(to: seen, isDark: isDark) >= 4.5)
            }
        }
    }

    @Test("the page's colours, with which icons are compared, are those of its files")
    func pageColors() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Map/LocationMap/Page")
        let (style, palette) = try (
            String(contentsOf: page.appending(path: "base.css"), encoding: .utf8),
            String(contentsOf: page.appending(path: "palette.js"), encoding: .utf8)
        )
        for accent in [ControlLayer.lightAccent, ControlLayer.darkAccent] {
            #expect(style.contains("--accent: \(accent.css());"))
        }
        for land in [ControlLayer.land.css(), ControlLayer.land.css(isDark: true), ControlLayer.imagery.css()] {
            #expect(palette.contains("land: \"\(land)\""))
        }
    }

    /// The kinds that the page shows, with their visibility.
    private func shown(_ map: MapView) -> [String] {
        map.wireControls.map { "\($0.kind.rawValue) \($0.visibility)" }.sorted()
    }

    @Test("showsCompass and showsScale govern the map's own controls, not those that the program has added")
    func ownControls() {
        let map = MapView()
        let compass = CompassButton(mapView: map)
        compass.compassVisibility = .visible
        // As the sample does it, so that there are not two.
        map.showsCompass = false
        map.addControl(compass)
        #expect(!map.showsCompass && shown(map) == ["compass visible"])
        map.showsCompass = true
        map.showsCompass = false
        #expect(shown(map) == ["compass visible"])

        let scale = ScaleView(mapView: map)
        scale.scaleVisibility = .visible
        map.showsScale = true
        map.addControl(scale)
        map.showsScale = false
        #expect(!map.showsScale && shown(map) == ["compass visible", "scale visible"])
    }

    @Test("several controls of a kind stand beside each other, and one that is added again stands once")
    func several() {
        let map = MapView()
        map.showsCompass = false
        let inBar = UserTrackingButton(mapView: map, placement: .bar)
        let onMap = UserTrackingButton(mapView: map)
        for control in [inBar, onMap, inBar] { map.addControl(control) }
        #expect(shown(map) == ["tracking visible", "tracking visible"])
        map.removeControl(onMap)
        #expect(map.wireControls.map(\.placement) == [.bar])
        for _ in 0..<2 { map.addControl(SearchField(mapView: map)) }
        #expect(shown(map) == ["search visible", "tracking visible"])
    }

    @Test("an added control replaces the map's own one, which returns when that is removed")
    func givesWay() {
        let map = MapView()
        let compass = CompassButton(mapView: map)
        compass.compassVisibility = .hidden
        #expect(map.showsCompass && shown(map) == ["compass adaptive"])
        map.addControl(compass)
        #expect(map.showsCompass && shown(map) == [])
        map.removeControl(compass)
        #expect(shown(map) == ["compass adaptive"])
    }

    @Test("each property shows and hides one control")
    func properties() {
        let map = MapView()
        map.showsCompass = false
        #expect(shown(map) == [])
        map.showsScale = true
        map.showsZoomControls = true
        map.showsPitchControl = true
        map.showsUserTrackingButton = true
        #expect(shown(map) == ["pitch visible", "scale adaptive", "tracking visible", "zoom visible"])
        map.showsScale = false
        map.showsZoomControls = false
        map.showsPitchControl = false
        map.showsUserTrackingButton = false
        #expect(shown(map) == [])
    }
}
