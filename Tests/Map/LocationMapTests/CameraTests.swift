import LocationModel
import MapModel
import PageServing
import Testing

@testable import LocationMap

@Suite("MapView: what is visible", .timeLimit(.minutes(10)))
@MainActor
struct CameraTests {
    private final class Recorder: MapViewDelegate {
        var told: [String] = []
        func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) { told.append("will \(animated)") }
        func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) { told.append("did \(animated)") }
    }

    private let map = MapView()
    private let recorder = Recorder()

    init() { map.delegate = recorder }

    private func camera(
        _ longitude: Double, _ latitude: Double, zoom: Double = 10, isMoving: Bool = false,
        _ cause: PageMessage.Camera.Cause, sequence: Int? = nil
    ) -> PageMessage {
        .camera(
            PageMessage.Camera(
                center: WirePosition(longitude: longitude, latitude: latitude), zoom: zoom, heading: 0, pitch: 0,
                isMoving: isMoving, cause: cause, sequence: sequence))
    }

    @Test("a region that the program sets is fully visible, on a page of any size")
    func regions() throws {
        let region = CoordinateRegion(center: .at(47, 9), span: CoordinateSpan(latitudeDelta: 2, longitudeDelta: 3))
        map.region = region
        for (width, height) in [(800.0, 600.0), (300, 900), (2000, 200)] {
            let page = try FakePage(map, width: width, height: height)
            #expect(map.region.span.latitudeDelta >= 1.999 && map.region.span.longitudeDelta >= 2.999)
            #expect(map.visibleMapRect.contains(MapRect(region).insetBy(dx: 10, dy: 10)))
            map.disconnect(page.page)
        }
    }

    @Test("without a page an animated move ends at once, and with one when the page reports it")
    func animation() throws {
        map.setCenter(.at(10, 10), animated: true)
        #expect(recorder.told == ["will false", "did false"])
        let page = try FakePage(map)
        _ = try page.events()
        recorder.told = []
        map.setCenter(.at(20, 20), animated: true)
        #expect(recorder.told == ["will true"])
        let sequence = try #require(try page.last("camera")?["sequence"]?.number)
        #expect(abs(map.centerCoordinate.latitude - 20) < 1e-6, "where it goes, as MapKit tells it")
        page.post(camera(15, 15, isMoving: true, .program, sequence: Int(sequence)))
        #expect(recorder.told == ["will true"])
        page.post(camera(20, 20, isMoving: false, .program, sequence: Int(sequence)))
        #expect(recorder.told == ["will true", "did true"])
    }

    @Test("the page in use moves the map of all others, and is not sent its own gesture")
    func leading() throws {
        let (first, second) = (try FakePage(map), try FakePage(map))
        _ = (try first.events(), try second.events())
        second.post(.gesture(.pan), camera(5, 6, isMoving: true, .gesture), camera(7, 8, .gesture))
        let told = try first.events().filter { $0.name == "camera" }
        #expect(told.last?.data["center"]?.array.map(\.number) == [7, 8])
        #expect(told.last?.data["page"]?.string == second.page.id)
        #expect(recorder.told == ["will true", "did true"])
        // What another page does by itself is not what counts.
        first.post(camera(50, 50, .tracking))
        #expect(abs(map.centerCoordinate.longitude - 7) < 1e-6)
    }

    @Test("a gesture of many moves is announced once and reported once, and so is a movement that follows the user")
    func oncePerGesture() throws {
        let page = try FakePage(map)
        for cause in [PageMessage.Camera.Cause.gesture, .tracking] {
            recorder.told = []
            page.post(camera(5, 6, isMoving: true, cause))
            page.post(camera(6, 6, isMoving: true, cause), camera(7, 6, isMoving: true, cause))
            #expect(recorder.told == ["will true"])
            page.post(camera(7, 6, cause))
            #expect(recorder.told == ["will true", "did true"])
        }
    }

    @Test("a move of the program ends a gesture, whose late report does not undo it")
    func programDuringGesture() throws {
        let page = try FakePage(map)
        page.post(camera(5, 6, isMoving: true, .gesture))
        map.setCenter(.at(20, 20), animated: false)
        page.post(camera(5, 6, .gesture))
        #expect(recorder.told == ["will true", "did true", "will false", "did false"])
        #expect(abs(map.centerCoordinate.latitude - 20) < 1e-6)
    }

    @Test("a page that is closed during a gesture ends it")
    func closedDuringGesture() throws {
        let page = try FakePage(map)
        page.post(camera(5, 6, isMoving: true, .gesture))
        map.disconnect(page.page)
        #expect(recorder.told == ["will true", "did true"])
    }

    @Test("a page that closes during a move leaves the map at the move's target")
    func gone() throws {
        let page = try FakePage(map)
        map.setCenter(.at(30, 30), animated: true)
        map.disconnect(page.page)
        #expect(recorder.told.suffix(2) == ["will true", "did true"])
        #expect(abs(map.cameraState.viewpoint.center.latitude - 30) < 1e-6)
    }

    @Test("a static map stays where it is, whatever a page sends")
    func isStatic() throws {
        (map.isZoomEnabled, map.isScrollEnabled, map.isRotateEnabled, map.isPitchEnabled) = (false, false, false, false)
        let page = try FakePage(map)
        let before = map.cameraState.viewpoint
        page.post(.gesture(.pan), camera(5, 6, .gesture), camera(5, 6, .control), camera(5, 6, .address))
        #expect(map.cameraState.viewpoint == before)
    }

    @Test("annotations at the 180th meridian are shown together, not around the world")
    func meridian() throws {
        let page = try FakePage(map)
        map.showAnnotations(
            [PointAnnotation(coordinate: .at(-17, 179.9)), PointAnnotation(coordinate: .at(-17, -179.9))],
            animated: false)
        #expect(map.region.span.longitudeDelta < 1)
        #expect(abs(abs(map.centerCoordinate.longitude) - 180) < 0.01)
        _ = page
    }
}
