import LocationModel
import MapModel
import Testing

@testable import LocationMap

/// Views, reuse, selection, callouts, drags and clusters, as MapKit documents them: without a browser.
@Suite("MapView: annotations", .timeLimit(.minutes(10)))
@MainActor
struct AnnotationTests {
    /// Records what a map tells, and answers with what the test sets.
    private final class Recorder: MapViewDelegate {
        var asked: [String] = []
        var told: [String] = []
        var view: ((MapView, any Annotation) -> AnnotationView?)?
        var cluster: (([any Annotation]) -> ClusterAnnotation?)?

        func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
            asked.append(annotation is ClusterAnnotation ? "cluster" : annotation.title ?? "")
            return view?(mapView, annotation)
        }
        func mapView(_ mapView: MapView, didSelect view: AnnotationView) {
            told.append("select \(view.annotation?.title ?? "")")
        }
        func mapView(_ mapView: MapView, didDeselect view: AnnotationView) {
            told.append("deselect \(view.annotation?.title ?? "")")
        }
        func mapView(
            _ mapView: MapView, annotationView view: AnnotationView,
            calloutAccessoryControlTapped control: CalloutAccessory
        ) { told.append("tap \(control.tag)") }
        func mapView(
            _ mapView: MapView, annotationView view: AnnotationView, didChange newState: AnnotationView.DragState,
            fromOldState oldState: AnnotationView.DragState
        ) { told.append("\(oldState)-\(newState)") }
        func mapView(
            _ mapView: MapView, clusterAnnotationForMemberAnnotations memberAnnotations: [any Annotation]
        ) -> ClusterAnnotation {
            cluster?(memberAnnotations) ?? ClusterAnnotation(memberAnnotations: memberAnnotations)
        }
    }

    private final class Bike: PointAnnotation {}

    private final class BikeView: AnnotationView {
        static var preparedCount = 0
        required init(annotation: (any Annotation)?, reuseIdentifier: String?) {
            super.init(annotation: annotation, reuseIdentifier: reuseIdentifier)
            image = MapImage(svg: "<svg xmlns='http://www.w3.org/2000/svg'/>", size: ViewSize(width: 30, height: 30))
        }
        override func prepareForReuse() {
            super.prepareForReuse()
            Self.preparedCount += 1
        }
    }

    private let map = MapView()
    private let recorder = Recorder()

    init() {
        map.delegate = recorder
        map.setRegion(
            CoordinateRegion(center: .at(47, 9), span: CoordinateSpan(latitudeDelta: 1, longitudeDelta: 1)),
            animated: false)
    }

    /// Annotations about 13 km from each other.
    private func row(_ count: Int) -> [PointAnnotation] {
        (0..<count).map { Bike(coordinate: .at(47, 9 + Double($0) * 0.17 - Double(count) * 0.085), title: "\($0)") }
    }

    @Test("without a delegate's view an annotation has a marker, or what is registered for all")
    func defaultViews() throws {
        map.addAnnotations(row(2))
        let page = try FakePage(map)
        let views = try page.events().filter { $0.name == "views" }.flatMap { $0.data["show"]?.array ?? [] }
        #expect(views.count + (try page.state()["views"]?.array.count ?? 0) >= 2)
        #expect(map.annotations.allSatisfy { map.view(for: $0) is MarkerAnnotationView })
        map.removeAnnotations(map.annotations)
        map.register(BikeView.self, forAnnotationViewWithReuseIdentifier: MapViewDefaultAnnotationViewReuseIdentifier)
        map.addAnnotations(row(1))
        _ = try page.events()
        #expect(map.view(for: map.annotations[0]) is BikeView)
    }

    @Test("views that leave the visible part are kept and reused for annotations that enter it")
    func reuse() throws {
        map.register(BikeView.self, forAnnotationViewWithReuseIdentifier: "bike")
        recorder.view = { $0.dequeueReusableAnnotationView(withIdentifier: "bike", for: $1) }
        // More than may be kept as they are.
        func field(from latitude: Double, title: String) -> [PointAnnotation] {
            (0..<150).map { number in
                let (row, column) = (Double(number / 15), Double(number % 15))
                return PointAnnotation(coordinate: .at(latitude + row * 0.05, 8.6 + column * 0.05), title: title)
            }
        }
        let (near, far) = (field(from: 47, title: "n"), field(from: -30, title: "f"))
        map.addAnnotations(near + far)
        let page = try FakePage(map)
        _ = try page.events()
        let first = Set(near.compactMap { map.view(for: $0) }.map { ObjectIdentifier($0) })
        #expect(!first.isEmpty)
        #expect(far.allSatisfy { map.view(for: $0) == nil })
        BikeView.preparedCount = 0
        map.setCenter(.at(-29.75, 9), animated: false)
        _ = try page.events()
        let second = far.compactMap { map.view(for: $0) }
        #expect(!second.isEmpty)
        #expect(second.contains { first.contains(ObjectIdentifier($0)) }, "some are the same objects")
        #expect(BikeView.preparedCount > 0)
        #expect(second.allSatisfy { $0.annotation?.title == "f" })
    }

    @Test("an annotation that moves or is renamed is sent to the pages, with only what changed")
    func changes() throws {
        let pins = row(3)
        map.addAnnotations(pins)
        let page = try FakePage(map)
        _ = try page.events()
        pins[1].title = "<b>new</b>"
        let change = try #require(try page.last("views"))
        #expect(change["change"]?.array.map { $0["title"]?.string } == ["<b>new</b>"])
        #expect(change["show"]?.array.isEmpty == true && change["hide"]?.array.isEmpty == true)
        pins[2].coordinate = .at(47.2, 9)
        #expect(try page.last("views")?["change"]?.array.first?["position"]?.array.map(\.number) == [9, 47.2])
        map.removeAnnotation(pins[0])
        #expect(try page.last("views")?["hide"]?.array.count == 1)
        #expect(try page.events().isEmpty, "nothing is told twice")
    }

    @Test("a click selects, a click beside deselects, a button in the callout is reported while it is selected")
    func selection() throws {
        recorder.view = { _, annotation in
            let view = MarkerAnnotationView(annotation: annotation, reuseIdentifier: nil)
            view.canShowCallout = true
            view.rightCalloutAccessoryView = .button("Go", tag: 7)
            view.leftCalloutAccessoryView = .text("plain")
            return view
        }
        let pins = row(2)
        map.addAnnotations(pins)
        let page = try FakePage(map)
        _ = try page.events()
        page.post(.accessory(id: "a1", side: .right))
        #expect(recorder.told.isEmpty, "nothing is selected yet")
        page.post(.select(id: "a1"))
        let selected = try #require(try page.last("selected")?["selected"])
        #expect(selected["id"]?.string == "a1" && selected["showsCallout"]?.bool == true)
        page.post(
            .accessory(id: "a1", side: .right), .accessory(id: "a1", side: .left), .accessory(id: "a2", side: .right))
        page.post(.select(id: "a2"), .deselect(id: "a1"), .deselect(id: "a2"), .select(id: "a99"), .select(id: "zz"))
        #expect(recorder.told == ["select 0", "tap 7", "deselect 0", "select 1", "deselect 1"])
        #expect(map.selectedAnnotations.isEmpty)
        map.selectAnnotation(pins[0], animated: false)
        #expect(map.selectedAnnotations.first === pins[0])
        #expect(try page.state()["selected"]?["id"]?.string == "a1", "a page that comes later shows it, too")
        map.removeAnnotation(pins[0])
        #expect(map.selectedAnnotations.isEmpty)
    }

    @Test("a drag goes through its states and moves the annotation; a drag of a page that closes is cancelled")
    func dragging() throws {
        recorder.view = { _, annotation in
            let view = PinAnnotationView(annotation: annotation, reuseIdentifier: nil)
            view.isDraggable = annotation.title == "0"
            return view
        }
        let pins = row(2)
        map.addAnnotations(pins)
        let page = try FakePage(map)
        _ = try page.events()
        let to = WirePosition(longitude: 9.1, latitude: 47.1)
        page.post(.drag(id: "a2", .start, to), .drag(id: "a2", .end, to))
        #expect(recorder.told.isEmpty, "it is not draggable")
        page.post(.drag(id: "a1", .start, to), .drag(id: "a1", .move, to), .drag(id: "a1", .end, to))
        #expect(recorder.told == ["none-starting", "starting-dragging", "dragging-ending", "ending-none"])
        #expect(pins[0].coordinate == .at(47.1, 9.1))
        recorder.told = []
        page.post(.drag(id: "a1", .start, to))
        map.disconnect(page.page)
        #expect(recorder.told.suffix(2) == ["dragging-canceling", "canceling-none"])
    }

    @Test(
        "views with one identifier that collide become a cluster, which the program can supply; others hide by priority"
    )
    func clusters() throws {
        recorder.view = { map, annotation in
            if annotation is ClusterAnnotation { return nil }
            let view = MarkerAnnotationView(annotation: annotation, reuseIdentifier: nil)
            view.clusteringIdentifier = annotation.title == "alone" ? nil : "bikes"
            view.displayPriority = annotation.title == "alone" ? .required : .defaultLow
            return view
        }
        var members: [[String?]] = []
        recorder.cluster = { annotations in
            members.append(annotations.map(\.title))
            let cluster = ClusterAnnotation(memberAnnotations: annotations)
            cluster.title = "group"
            return cluster
        }
        let bikes = (0..<5).map { PointAnnotation(coordinate: .at(47, 9 + Double($0) * 1e-5), title: "bike \($0)") }
        let alone = PointAnnotation(coordinate: .at(47.2, 9), title: "alone")
        map.addAnnotations(bikes + [alone])
        let page = try FakePage(map)
        let state = try page.state()
        let views = try #require(state["views"]?.array)
        #expect(views.count == 2)
        let cluster = try #require(views.first { $0["members"] != nil })
        #expect(cluster["members"]?.number == 5)
        #expect(cluster["title"]?.string == "group")
        #expect(cluster["glyph"]?.string == "5")
        #expect(members.last.map { Set($0) } == Set(bikes.map(\.title)))
        // A click on it shows its members more closely.
        let zoom = map.cameraState.target.zoom
        let id = try #require(cluster["id"]?.string)
        page.post(.select(id: id))
        #expect(map.cameraState.target.zoom > zoom + 3)
        #expect(try page.last("camera")?["animated"]?.bool == true)
    }

    @Test("ten thousand annotations in view are two hundred views at most, and none is missing")
    func crowd() throws {
        let annotations = (0..<10_000).map { number in
            let (row, column) = (Double(number / 100), Double(number % 100))
            return PointAnnotation(coordinate: .at(46.5 + row * 0.01, 8.5 + column * 0.01), title: nil)
        }
        recorder.view = { _, annotation in
            if annotation is ClusterAnnotation { return nil }
            let view = MarkerAnnotationView(annotation: annotation, reuseIdentifier: nil)
            view.clusteringIdentifier = "place"
            return view
        }
        map.showAnnotations(annotations, animated: false)
        let page = try FakePage(map)
        for zoom in [nil, 10.0, 11, 12, 13] {
            if let zoom {
                let camera = PageMessage.Camera(
                    center: WirePosition(longitude: 9, latitude: 47), zoom: zoom, heading: 0, pitch: 0, isMoving: false,
                    cause: .control, sequence: nil)
                page.post(.camera(camera))
            }
            let views = try page.state()["views"]?.array ?? []
            let inView = map.annotations(in: map.visibleMapRect)
            let members = map.annotationTable.shown.values.flatMap { shown -> [any Annotation] in
                guard let annotation = shown.view.annotation else { return [] }
                return (annotation as? ClusterAnnotation)?.memberAnnotations ?? [annotation]
            }
            #expect(
                !inView.isEmpty
                    && Set(inView.map { ObjectIdentifier($0) }).isSubset(of: members.map { ObjectIdentifier($0) }))
            #expect((1...200).contains(views.count), "\(views.count) views at zoom \(zoom ?? -1)")
        }
    }

    @Test("a cluster that no zoom separates lists its members, and one of them can be chosen")
    func clusterAtOnePlaceListsMembers() throws {
        recorder.view = { _, annotation in
            let view = MarkerAnnotationView(annotation: annotation, reuseIdentifier: nil)
            view.clusteringIdentifier = annotation is ClusterAnnotation ? nil : "place"
            view.canShowCallout = !(annotation is ClusterAnnotation)
            return view
        }
        let pins = (0..<1234).map { PointAnnotation(coordinate: .at(47, 9), title: "pin \($0)", subtitle: "here") }
        map.addAnnotations(pins)
        let page = try FakePage(map)
        let cluster = try #require(try page.state()["views"]?.array.first)
        #expect(cluster["title"]?.string == "1,234 places")
        #expect(cluster["glyph"]?.string == "1k")
        #expect(cluster["choices"] == nil, "only a selected cluster has its list")
        let zoom = map.cameraState.target.zoom
        page.post(.select(id: try #require(cluster["id"]?.string)))
        map.updates.flush()
        #expect(map.cameraState.target.zoom == zoom)
        #expect(map.selectedAnnotations.first is ClusterAnnotation)
        let selected = try #require(try page.state()["views"]?.array.first)
        #expect(selected["callout"]?["title"]?.string == "1,234 places")
        let choices = try #require(selected["choices"]?.array)
        #expect(choices.count == 100)
        #expect(try page.state()["selected"]?["showsCallout"]?.bool == true)
        let choice = try #require(choices.first { $0["title"]?.string != pins[0].title })
        #expect(choice["subtitle"]?.string == "here")
        page.post(.select(id: try #require(choice["id"]?.string)))
        map.updates.flush()
        #expect(map.selectedAnnotations.first?.title == choice["title"]?.string)
        // It stands alone, with its callout.
        #expect(try page.state()["views"]?.array.count == 2)
        #expect(try page.state()["selected"]?["id"]?.string == choice["id"]?.string)
        // Only members of a selected cluster can be chosen so.
        page.post(.deselect(id: try #require(choice["id"]?.string)), .select(id: "a7"))
        #expect(map.selectedAnnotations.isEmpty)
    }

    @Test("a cluster's title is its count, hidden below a balloon with the same number")
    func clusterTitleIsCount() throws {
        #expect(ClusterAnnotation.title(ofMembers: 67) == "67 places")
        #expect(ClusterAnnotation.title(ofMembers: 1_000_045) == "1,000,045 places")
        func wire(_ count: Int, title: String? = nil) -> WireView {
            let member = PointAnnotation(coordinate: .at(47, 9), title: "pin")
            let cluster = ClusterAnnotation(memberAnnotations: Array(repeating: member, count: count))
            if let title { cluster.title = title }
            let view = MarkerAnnotationView(annotation: cluster, reuseIdentifier: nil)
            return view.wire(.cluster(AnnotationID(rawValue: 1)), images: map.images)
        }
        #expect(wire(67).titleVisibility == .hidden)
        #expect(wire(67).label == "67 places, pin and others")
        #expect(wire(1067).titleVisibility == .adaptive, "the balloon says 1k")
        #expect(wire(67, title: "Bikes").titleVisibility == .adaptive)
        #expect(wire(67, title: "Bikes").label == "Bikes, 67 places, pin and others")
    }

    /// The land of the page, light and dark.
    @Test("markers and pins have a contrast of 3 to the map, and markers of 4.5 to their glyphs")
    func defaultColorsHaveContrast() {
        let land = Color(
            light: Color(red: 0.965, green: 0.949, blue: 0.914), dark: Color(red: 0.161, green: 0.173, blue: 0.196))
        let markers = [MarkerAnnotationView.red, MarkerAnnotationView.gray]
        let pins = [
            PinAnnotationView.redPinColor, PinAnnotationView.greenPinColor, PinAnnotationView.purplePinColor,
        ]
        for isDark in [false, true] {
            for color in markers {
                #expect(color.contrast(to: .white, isDark: isDark) >= 4.5)
                #expect(color.text == .white)
            }
            for color in markers + pins { #expect(color.contrast(to: land, isDark: isDark) >= 3, "\(color)") }
        }
    }
}
