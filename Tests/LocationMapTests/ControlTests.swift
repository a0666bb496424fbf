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

    @Test("the map's own control gives way to an added one, and returns when that is removed")
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
