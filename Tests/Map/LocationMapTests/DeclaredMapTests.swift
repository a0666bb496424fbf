import LocationModel
import MapModel
import Observation
import Testing

@testable import LocationMap

@Suite("Map: declarations", .timeLimit(.minutes(10)))
@MainActor
struct DeclaredMapTests {
    private let map = MapView()

    private func titles() -> [String?] { map.annotations.map(\.title) }

    /// The changes of the views and of the overlays that a page has received since the last call.
    private func changes(of page: FakePage) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for event in try page.events() where ["views", "overlays"].contains(event.name) {
            for part in ["show", "hide", "change", "set", "removed"] {
                let count = event.data[part]?.array.count ?? 0
                if count > 0 { counts[part, default: 0] += count }
            }
        }
        return counts
    }

    private struct Mooring: MapContent {
        let place: Coordinate
        var body: MapContentGroup {
            Marker("Buoy", coordinate: place)
            MapCircle(center: place, radius: 30)
        }
    }

    @Test("conditions, loops and parts of the program's own make up the content")
    func builder() {
        func show(_ isOpen: Bool, _ place: Coordinate?) {
            map.show(
                Map {
                    if isOpen { Marker("Open", coordinate: .at(1, 1)) } else { Marker("Closed", coordinate: .at(1, 1)) }
                    if let place { Mooring(place: place) }
                    for number in 1...3 { Marker("Berth \(number)", coordinate: .at(2, Double(number))) }
                    MapPolygon(coordinates: [.at(0, 0), .at(0, 1), .at(1, 1)])
                })
        }
        show(true, nil)
        #expect(titles() == ["Open", "Berth 1", "Berth 2", "Berth 3"])
        #expect(map.overlays.count == 1)
        show(false, .at(3, 3))
        #expect(Set(titles()) == ["Closed", "Buoy", "Berth 1", "Berth 2", "Berth 3"])
        #expect(map.overlays.first is Circle && map.overlays.last is Polygon)
        map.show(Map {})
        #expect(map.annotations.isEmpty && map.overlays.isEmpty)
    }

    private struct Berth: Identifiable {
        let id: Int
        let name: String
    }

    @Test("the parts for the elements of a collection are identified by their elements")
    func forEach() {
        var selected: Int?
        func show(_ berths: [Berth]) {
            map.show(
                Map {
                    ForEach(berths) { Marker($0.name, coordinate: .at(2, Double($0.id))) }
                    ForEach([1, 2], id: \.self) { MapCircle(center: .at(1, Double($0)), radius: 10) }
                }.selection(selected) { selected = $0 })
        }
        show([Berth(id: 1, name: "One"), Berth(id: 2, name: "Two")])
        #expect(titles() == ["One", "Two"] && map.overlays.count == 2)
        let second = map.annotations[1]
        map.selectAnnotation(second, animated: false)
        #expect(selected == 2)
        show([Berth(id: 2, name: "Second")])
        #expect(map.annotations.count == 1 && map.annotations[0] === second && titles() == ["Second"])
    }

    @Test("a declaration limits the camera and what the user may do, until another does not")
    func limits() {
        let town = CoordinateRegion(center: .at(47, 9), latitudinalMeters: 8000, longitudinalMeters: 8000)
        map.show(
            Map(
                bounds: MapCameraBounds(centerCoordinateBounds: town, maximumDistance: 30_000),
                interactionModes: [.pan, .zoom]
            ) {})
        #expect(map.cameraBoundary == MapView.CameraBoundary(coordinateRegion: town))
        #expect(map.cameraZoomRange?.maxCenterCoordinateDistance == 30_000)
        #expect(map.isScrollEnabled && map.isZoomEnabled && !map.isRotateEnabled && !map.isPitchEnabled)
        map.show(Map {})
        #expect(map.cameraBoundary == nil && map.cameraZoomRange == nil)
        #expect(map.isRotateEnabled && map.isPitchEnabled)
        // What the program sets stays.
        map.isPitchEnabled = false
        map.show(Map { Marker("One", coordinate: .at(1, 1)) })
        #expect(!map.isPitchEnabled)
    }

    @Test("an initial position is that of the first declaration alone")
    func initialPosition() {
        func show(_ latitude: Double) {
            let camera = MapCamera(centerCoordinate: .at(latitude, 9), distance: 900)
            map.show(Map(initialPosition: .camera(camera)) {})
        }
        show(47)
        show(50)
        #expect(map.centerCoordinate.distance(to: .at(47, 9)) < 1)
    }

    @Test("changes of the camera and clicks beside everything are reported, with the coordinate of the point")
    func reports() throws {
        var (ends, moves): ([MapCameraUpdateContext], Int) = ([], 0)
        var tapped: [Coordinate] = []
        map.show {
            MapReader { proxy in
                Map(position: .camera(MapCamera(centerCoordinate: .at(47, 9), distance: 3000, heading: 30))) {}
                    .onMapCameraChange { ends.append($0) }
                    .onMapCameraChange(frequency: .continuous) { _ in moves += 1 }
                    .onTapGesture { point in if let place = proxy.convert(point) { tapped.append(place) } }
            }
        }
        let page = try FakePage(map)
        (ends, moves) = ([], 0)
        func camera(_ latitude: Double, isMoving: Bool) -> PageMessage {
            .camera(
                .init(
                    center: WirePosition(longitude: 9, latitude: latitude), zoom: 14, heading: 0, pitch: 0,
                    isMoving: isMoving, cause: .gesture))
        }
        page.post(.gesture(.pan), camera(47.01, isMoving: true), camera(47.02, isMoving: false))
        #expect(ends.count == 1 && moves >= 2)
        let end = try #require(ends.last)
        #expect(end.camera == map.camera && end.region == map.region && end.rect == map.visibleMapRect)
        page.post(.tap(WirePosition(longitude: 9.001, latitude: 47.021)))
        #expect(tapped.count == 1 && tapped.allSatisfy { $0.distance(to: .at(47.021, 9.001)) < 0.1 })
    }

    @Test("the form of a line comes from its style")
    func strokeStyle() throws {
        let style = StrokeStyle(lineWidth: 5, lineCap: .butt, lineJoin: .bevel, dash: [4, 2])
        map.show(Map { MapPolyline(coordinates: [.at(1, 1), .at(2, 2)]).stroke(.red, style: style) })
        // A line has its renderer once a page shows it.
        _ = try FakePage(map).events()
        let line = try #require(map.overlays.first)
        let renderer = try #require(map.renderer(for: line) as? OverlayPathRenderer)
        #expect(renderer.lineWidth == 5 && renderer.lineCap == .butt && renderer.lineJoin == .bevel)
        #expect(renderer.lineDashPattern == [4, 2] && renderer.strokeColor == .red)
    }

    @Test("a change of the content changes only what differs")
    func difference() throws {
        let center = map.centerCoordinate
        func place(_ number: Int) -> Coordinate {
            Coordinate(clampingLatitude: center.latitude, wrappingLongitude: center.longitude + Double(number) * 20)
        }
        func show(_ numbers: [Int], moved: Int? = nil, tint: Color? = nil, circle: Double = 1000) {
            map.show(
                Map(position: .camera(map.camera)) {
                    for number in numbers {
                        let marker = Marker("\(number)", coordinate: place(number == moved ? number + 1 : number))
                        if let tint, number == numbers.first { marker.tint(tint) } else { marker }
                    }
                    MapCircle(center: center, radius: circle)
                    MapPolyline(coordinates: [place(0), place(1)]).stroke(.red, lineWidth: 2)
                })
        }
        show([-2, -1, 0, 1])
        let page = try FakePage(map)
        _ = try page.events()
        let before = map.annotations.map { ObjectIdentifier($0) }

        show([-2, -1, 0, 1])
        #expect(try changes(of: page).isEmpty)
        show([2, -2, 0, 1])
        #expect(try changes(of: page) == ["show": 1, "hide": 1])
        #expect(Set(map.annotations.map { ObjectIdentifier($0) }).subtracting(before).count == 1)
        show([2, -2, 0, 1], moved: -2)
        #expect(try changes(of: page) == ["change": 1], "the same marker elsewhere")
        show([2, -2, 0, 1], moved: -2, tint: .blue)
        #expect(try changes(of: page) == ["change": 1], "the same marker in another colour")
        show([2, -2, 0, 1], moved: -2, circle: 2000)
        #expect(try changes(of: page) == ["change": 1, "set": 2, "removed": 1], "the line is above the new circle")
        #expect(map.overlays.first is Circle)
    }

    @Test("a tag identifies a marker whatever its title, and views of the program's are made once")
    func tags() throws {
        var made = 0
        func show(_ title: String, isOwn: Bool = false) {
            map.show(
                Map {
                    if isOwn {
                        MapAnnotation(title, coordinate: map.centerCoordinate) {
                            made += 1
                            return PinAnnotationView(annotation: nil, reuseIdentifier: nil)
                        }.tag(1)
                    } else {
                        Marker(title, monogram: "B", coordinate: map.centerCoordinate).tag(1)
                    }
                })
        }
        show("Boat")
        let page = try FakePage(map)
        #expect(try page.state()["views"]?.array.first?["glyph"]?.string == "B")
        let boat = try #require(map.annotations.first)
        show("Ship")
        #expect(map.annotations.first === boat && titles() == ["Ship"])
        show("Ship", isOwn: true)
        #expect(map.annotations.first !== boat, "a marker does not become a view of another kind")
        _ = try page.events()
        show("Pin", isOwn: true)
        #expect(try page.state()["views"]?.array.map { $0["kind"]?.string } == ["pin"])
        #expect(made == 1 && titles() == ["Pin"])
    }

    @Test("overlays have their style, their level and the order of the declaration, and a program's line keeps growing")
    func overlays() throws {
        let track = Polyline(coordinates: [.at(0, 0), .at(1, 1)])
        func show(_ isTrackFirst: Bool, color: Color?, level: OverlayLevel = .aboveLabels) {
            map.show(
                Map {
                    if isTrackFirst { MapPolyline(track).stroke(.red, lineWidth: 3, dash: [4, 2]) }
                    if let color {
                        MapCircle(center: .at(0, 0), radius: 9).foregroundStyle(color).mapOverlayLevel(level: level)
                    } else {
                        MapCircle(center: .at(0, 0), radius: 9).mapOverlayLevel(level: level)
                    }
                    if !isTrackFirst { MapPolyline(track).stroke(.red, lineWidth: 3, dash: [4, 2]) }
                })
        }
        let page = try FakePage(map)
        show(true, color: nil)
        let own = Circle(center: .at(5, 5), radius: 5)
        map.addOverlay(own)
        #expect(map.overlays[0] === track && map.overlays[2] === own)
        _ = try page.events()
        let renderer = try #require(map.renderer(for: track) as? OverlayPathRenderer)
        #expect(renderer.strokeColor == .red && renderer.lineWidth == 3 && renderer.lineDashPattern == [4, 2])
        let circle = try #require(map.renderer(for: map.overlays[1]) as? OverlayPathRenderer)
        #expect(circle.strokeColor == .blue && circle.fillColor != nil, "as any overlay without a style")
        show(true, color: .green)
        #expect(circle.strokeColor == nil && circle.fillColor == .green)
        show(true, color: nil)
        #expect(circle.strokeColor == .blue && circle.fillColor != .green)
        show(false, color: nil)
        #expect(map.overlays.firstIndex { $0 === track } == 1)
        show(false, color: nil, level: .aboveRoads)
        #expect(try page.state()["overlays"]?.array.first?["level"]?.string == "aboveRoads")
        track.append([.at(2, 2)])
        show(false, color: nil, level: .aboveRoads)
        #expect(track.pointCount == 3 && map.overlays.count == 3)
        map.show(Map {})
        #expect(map.overlays.count == 1 && map.overlays[0] === own)
    }

    @Test("another order moves overlays, replaces changed ones, and no others")
    func order() throws {
        let lines = (0..<4).map { Polyline(coordinates: [.at(0, Double($0)), .at(1, 1)]) }
        let (lowest, between) = (Circle(center: .at(5, 5), radius: 5), Circle(center: .at(6, 6), radius: 5))
        func show(_ order: [Int]) {
            map.show(Map { for number in order { MapPolyline(lines[number]) } })
        }
        func order() -> [Int?] { map.overlays.map { overlay in lines.firstIndex { $0 === overlay } } }
        show([0, 1, 2])
        map.insertOverlay(lowest, at: 0)
        map.insertOverlay(between, at: 2)
        let page = try FakePage(map)
        _ = try page.events()
        let renderers = lines[...2].map { map.renderer(for: $0) }
        show([2, 3, 1, 0])
        #expect(order() == [nil, 2, 3, nil, 1, 0])
        #expect(map.overlays[0] === lowest && map.overlays[3] === between)
        #expect(zip(lines[...2], renderers).allSatisfy { map.renderer(for: $0) === $1 })
        #expect(try page.state()["overlays"]?.array.map { $0["order"]?.number } == [0, 1, 2, 3, 4, 5])
        show([3, 0])
        #expect(order() == [nil, 3, nil, 0])
    }

    @Test("the map shows all content until the user moves it, and moves for a new position only")
    func position() throws {
        func show(_ places: [Coordinate], _ position: MapCameraPosition = .automatic) {
            map.show(Map(position: position) { for place in places { Marker("A", coordinate: place) } })
        }
        let page = try FakePage(map)
        show([])
        show([.at(47, 9), .at(48, 10)])
        #expect(map.region.contains(.at(47, 9)) && map.region.contains(.at(48, 10)))
        #expect(map.region.span.longitudeDelta < 5)
        show([.at(47, 9), .at(20, 10)])
        #expect(map.region.contains(.at(20, 10)))
        let moved = PageMessage.Camera(
            center: WirePosition(longitude: 100, latitude: 0), zoom: 8, heading: 0, pitch: 0, isMoving: false,
            cause: .control)
        page.post(.camera(moved))
        show([.at(47, 9), .at(21, 10)])
        #expect(abs(map.centerCoordinate.longitude - 100) < 1e-6, "the user has moved it")

        let region = CoordinateRegion(center: .at(-30, -60), latitudinalMeters: 5000, longitudinalMeters: 5000)
        show([], .region(region))
        #expect(map.centerCoordinate.distance(to: .at(-30, -60)) < 10)
        page.post(.camera(moved))
        show([.at(1, 1)], .region(region))
        #expect(abs(map.centerCoordinate.longitude - 100) < 1e-6)
        show([], .camera(MapCamera(centerCoordinate: .at(10, 10), distance: 5000, heading: 90)))
        #expect(abs(map.camera.heading - 90) < 1e-6 && map.centerCoordinate.distance(to: .at(10, 10)) < 1)
        show([], .rect(MapRect(region)))
        #expect(map.centerCoordinate.distance(to: .at(-30, -60)) < 10)
    }

    @Test("the map follows the user with the fallback in view, and ends showing the user with the declaration")
    func user() {
        map.locationManager = LocationManager(socketPath: "/nonexistent")
        let region = CoordinateRegion(center: .at(-30, -60), latitudinalMeters: 5000, longitudinalMeters: 5000)
        map.show(Map(position: .userLocation(followsHeading: true, fallback: .region(region))) {})
        #expect(map.showsUserLocation && map.userTrackingMode == .followWithHeading)
        #expect(map.centerCoordinate.distance(to: .at(-30, -60)) < 10)
        map.show(Map { UserAnnotation() })
        #expect(map.showsUserLocation && map.userTrackingMode == .followWithHeading, "there is nothing to frame")
        map.show(Map(position: .region(region)) { UserAnnotation() })
        #expect(map.showsUserLocation && map.userTrackingMode == .none)
        map.show(Map(position: .region(region)) {})
        #expect(!map.showsUserLocation)
    }

    @Test("style and controls are those of the declaration, and the map's own without one")
    func styles() throws {
        let page = try FakePage(map)
        func kinds() throws -> [String] {
            try page.state()["controls"]?.array.compactMap { $0["kind"]?.string } ?? []
        }
        map.show(
            Map {}.mapStyle(.hybrid(pointsOfInterest: .excludingAll)).mapControls {
                MapScaleView().mapControlVisibility(.visible)
                MapUserLocationButton()
                MapZoomStepper().mapControlVisibility(.hidden)
            })
        #expect(map.mapType == .hybrid && map.pointOfInterestFilter == .excludingAll)
        #expect(try kinds() == ["scale", "tracking"])
        map.show(Map {}.mapStyle(.standard))
        #expect(map.mapType == .standard && map.pointOfInterestFilter == nil)
        #expect(try kinds() == ["compass"])
    }

    @Test("a selection is made by its tag, and the user's is reported once")
    func selection() throws {
        var reported: [String?] = []
        func show(_ selected: String?) {
            map.show(
                Map {
                    for name in ["A", "B"] { Marker(name, coordinate: map.centerCoordinate).tag(name) }
                }.selection(selected) { reported.append($0) })
        }
        show("A")
        let page = try FakePage(map)
        #expect(map.selectedAnnotations.map(\.title) == ["A"] && reported.isEmpty)
        let views = try #require(try page.state()["views"]?.array)
        let other = try #require(views.first { $0["title"]?.string == "B" }?["id"]?.string)
        page.post(.select(id: other))
        #expect(reported == ["B"])
        show("B")
        page.post(.deselect(id: other))
        #expect(reported == ["B", nil])
        show(nil)
        show("A")
        #expect(map.selectedAnnotations.map(\.title) == ["A"] && reported == ["B", nil])
        show(nil)
        #expect(map.selectedAnnotations.isEmpty && reported.count == 2)
        page.post(.select(id: other))
        show(nil)
        #expect(map.selectedAnnotations.isEmpty, "a selection that the declaration does not take over is taken back")
    }

    @Observable
    @MainActor
    final class Boats {
        var names = ["A"]
    }

    @Test("a released map keeps neither its declaration nor the objects that it has read")
    func lifetime() {
        weak var kept: Boats?
        do {
            let boats = Boats()
            kept = boats
            let map = MapView()
            map.show { Map { for name in boats.names { Marker(name, coordinate: .at(1, 1)) } } }
            #expect(map.annotations.count == 1)
        }
        #expect(kept == nil)
    }

    @Test("a change of an observable object declares the map again, once for several changes")
    func observation() async throws {
        let boats = Boats()
        let (turns, continuation) = AsyncStream<Int>.makeStream()
        map.show {
            continuation.yield(boats.names.count)
            return Map { for name in boats.names { Marker(name, coordinate: .at(1, 1)) } }
        }
        #expect(titles() == ["A"])
        boats.names.append("B")
        boats.names.append("C")
        var iterator = turns.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == 3)
        #expect(titles() == ["A", "B", "C"])
        // Another declaration takes its place.
        map.show(Map { Marker("D", coordinate: .at(1, 1)) })
        boats.names = []
        let (ends, end) = AsyncStream<Void>.makeStream()
        Task { end.finish() }
        for await _ in ends {}
        #expect(titles() == ["D"])
    }
}
