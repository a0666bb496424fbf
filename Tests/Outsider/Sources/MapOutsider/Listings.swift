// From the documentation of LocationMap, by `make listings`.
import Glibc
import LocationMap

@MainActor
func gettingStarted1(_ surroundings: Surroundings) async throws {
    let map = MapView()
    let honolulu = LocationCoordinate2D(latitude: 21.282778, longitude: -157.829444)
    map.region = CoordinateRegion(center: honolulu, latitudinalMeters: 50_000, longitudinalMeters: 60_000)
    map.showsScale = true
    try await MapServer(map).run { address in
        print("Open \(address)")
    }
}

@MainActor
func gettingStarted2(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    let harbour = surroundings.harbour
    @MainActor
    final class Harbours: MapViewDelegate {
        func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
            guard annotation is PointAnnotation else { return nil }
            let view = mapView.dequeueReusableAnnotationView(
                withIdentifier: MapViewDefaultAnnotationViewReuseIdentifier, for: annotation)
            view.canShowCallout = true
            view.clusteringIdentifier = "harbour"
            view.rightCalloutAccessoryView = .detailDisclosure
            return view
        }

        func mapView(
            _ mapView: MapView, annotationView view: AnnotationView,
            calloutAccessoryControlTapped control: CalloutAccessory
        ) {
            print(view.annotation?.title ?? "")
        }
    }

    let delegate = Harbours()
    map.delegate = delegate
    map.addAnnotation(PointAnnotation(coordinate: harbour, title: "Harbour", subtitle: "12 berths"))
}

@MainActor
func gettingStarted3(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    let harbour = surroundings.harbour
    let places = ["Fuel": harbour]
    map.show {
        Map(position: .userLocation(fallback: .automatic)) {
            for (name, place) in places { Marker(name, coordinate: place).tint(.orange).tag(name) }
            MapCircle(center: harbour, radius: 500).foregroundStyle(.blue.withAlpha(0.2))
            UserAnnotation()
        }
        .mapStyle(.standard(pointsOfInterest: .excludingAll))
        .mapControls {
            MapCompass()
            MapUserLocationButton()
        }
    }
}

@MainActor
func gettingStarted4(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    let harbour = surroundings.harbour
    let track = Polyline(coordinates: [harbour])
    map.addOverlay(track)
    track.append([Coordinate(latitude: 21.31, longitude: -157.91)])
}

@MainActor
func gettingStarted5(_ surroundings: Surroundings) async throws {
    let harbour = surroundings.harbour
    let way = Polyline(coordinates: [harbour, Coordinate(latitude: 21.31, longitude: -157.91)])
    let renderer = GradientPolylineRenderer(polyline: way)
    renderer.setColors([.green, .red], locations: way.locations(atPointIndexes: [0, 1]))
}

@MainActor
func gettingStarted6(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    map.showsUserLocation = true
    map.setUserTrackingMode(.follow, animated: true)
    map.addControl(UserTrackingButton(mapView: map))
}

@MainActor
func gettingStarted7(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    var request = LocalSearch.Request(naturalLanguageQuery: "coffee")
    request.region = map.region
    let response = try await LocalSearch(request: request).start()
    map.showAnnotations(
        response.mapItems.map { PointAnnotation(coordinate: $0.coordinate, title: $0.name) }, animated: true)
}

@MainActor
func locationMap1(_ surroundings: Surroundings) async throws {
    let harbour = surroundings.harbour
    let map = MapView()
    map.addAnnotation(PointAnnotation(coordinate: harbour, title: "Harbour"))
    map.showsUserLocation = true
    try await MapServer(map).run { address in print(address) }
}

@MainActor
func searchField1(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    let field = SearchField(mapView: map)
    field.rows = { text in
        let request = LocalSearch.Request(naturalLanguageQuery: text, region: map.region)
        // A search that fails has no rows.
        let items = (try? await LocalSearch(request: request).start().mapItems) ?? []
        return items.map { SearchField.Row(id: $0.id, title: $0.name, subtitle: $0.placemark.title) }
    }
    map.addControl(field)
}

@MainActor
func forEach1(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    let harbour = surroundings.harbour
    map.show(Map { ForEach(["North", "South"], id: \.self) { Marker($0, coordinate: harbour) } })
}

@MainActor
func map1(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    let harbour = surroundings.harbour
    let track = Polyline(coordinates: [harbour])
    map.show {
        Map(position: .userLocation(fallback: .automatic)) {
            Marker("Harbour", coordinate: harbour).tint(.blue)
            MapPolyline(track).stroke(.red, lineWidth: 3)
            UserAnnotation()
        }
        .mapStyle(.hybrid)
        .mapControls {
            MapCompass()
            MapScaleView()
        }
    }
}

@MainActor
func mapContent1(_ surroundings: Surroundings) async throws {
    struct Mooring: MapContent {
        let place: Coordinate

        var body: MapContentGroup {
            Marker("Buoy", coordinate: place)
            MapCircle(center: place, radius: 30).foregroundStyle(.blue.withAlpha(0.2))
        }
    }
}

@MainActor
func mapReader1(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    let harbour = surroundings.harbour
    map.show {
        MapReader { proxy in
            Map { Marker("Harbour", coordinate: harbour) }
                .onTapGesture { point in if let place = proxy.convert(point) { print(place) } }
        }
    }
}

@MainActor
func geoJSONDecoder1(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    func show(_ objects: [any GeoJSONObject]) {
        for object in objects {
            if let feature = object as? GeoJSONFeature { show(feature.geometry) }
            if let annotation = object as? any Annotation { map.addAnnotation(annotation) }
            if let overlay = object as? any Overlay { map.addOverlay(overlay) }
        }
    }
}

@MainActor
func mapViewCameraLimits1(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    let harbour = surroundings.harbour
    let town = CoordinateRegion(center: harbour, latitudinalMeters: 8000, longitudinalMeters: 8000)
    map.cameraBoundary = MapView.CameraBoundary(coordinateRegion: town)
    map.cameraZoomRange = MapView.CameraZoomRange(maxCenterCoordinateDistance: 30_000)
}

@MainActor
func mapView1(_ surroundings: Surroundings) async throws {
    let harbour = surroundings.harbour
    let map = MapView()
    map.addAnnotation(PointAnnotation(coordinate: harbour, title: "Harbour"))
    map.setRegion(CoordinateRegion(center: harbour, latitudinalMeters: 2000, longitudinalMeters: 2000), animated: false)
    try await MapServer(map).run { address in print(address) }
}

@MainActor
func regionLibrary1(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    map.regionLibrary = RegionLibrary(command: ["/usr/bin/locationctl", "map"])
}

@MainActor
func savedPlaces1(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    map.savedPlaces = SavedPlaces(path: "/home/ann/.local/share/locationd/places.geojson")
}

@MainActor
func geocodingRequest1(_ surroundings: Surroundings) async throws {
    if let request = GeocodingRequest(addressString: "Städtle 5, Vaduz") {
        for item in try await request.mapItems { print(item.coordinate, item.address?.fullAddress ?? "") }
    }
}

@MainActor
func localPointsOfInterestRequest1(_ surroundings: Surroundings) async throws {
    let harbour = surroundings.harbour
    var request = LocalPointsOfInterestRequest(center: harbour, radius: 2000)
    request.pointOfInterestFilter = PointOfInterestFilter(including: [.cafe, .bakery])
    for item in try await LocalSearch(request: request).start().mapItems { print(item.name) }
}

@MainActor
func localSearch1(_ surroundings: Surroundings) async throws {
    let map = surroundings.map
    var request = LocalSearch.Request(naturalLanguageQuery: "coffee near the harbour")
    request.region = map.region
    for item in try await LocalSearch(request: request).start().mapItems { print(item.name) }
}
