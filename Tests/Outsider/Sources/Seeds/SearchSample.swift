import LocationMap

/// "Search for places": the places that a query finds in the visible region, as annotations.
final class SearchSample: Seeds.Sample {
    let mapView = MapView()

    func viewDidLoad() {
        mapView.delegate = self
        mapView.region = CoordinateRegion(
            center: LocationCoordinate2D(latitude: 47.141, longitude: 9.5215),
            span: CoordinateSpan(latitudeDelta: 0.1, longitudeDelta: 0.1))
        search(for: "restaurant")
    }

    private func search(for queryString: String?) {
        var searchRequest = LocalSearch.Request()
        searchRequest.naturalLanguageQuery = queryString
        searchRequest.region = mapView.region
        searchRequest.resultTypes = .pointOfInterest
        let localSearch = LocalSearch(request: searchRequest)
        Task {
            do {
                let response = try await localSearch.start()
                show(response.mapItems)
            } catch {
                print(error)
            }
        }
    }

    private func show(_ mapItems: [MapItem]) {
        for item in mapItems {
            let annotation = PointAnnotation()
            annotation.title = item.name
            annotation.subtitle = item.placemark.title
            annotation.coordinate = item.placemark.coordinate
            mapView.addAnnotation(annotation)
        }
        mapView.showAnnotations(mapView.annotations, animated: true)
    }

    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
        let view = mapView.dequeueReusableAnnotationView(
            withIdentifier: MapViewDefaultAnnotationViewReuseIdentifier, for: annotation)
        view.canShowCallout = true
        return view
    }
}
