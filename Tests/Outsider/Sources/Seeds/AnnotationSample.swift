import LocationMap

/// "Annotate a map": pins with callouts, and an image of the program's own.
final class AnnotationSample: Seeds.Sample {
    let mapView = MapView()

    func viewDidLoad() {
        mapView.delegate = self
        let capital = PointAnnotation()
        capital.title = "Vaduz"
        capital.subtitle = "The capital"
        capital.coordinate = LocationCoordinate2D(latitude: 47.141, longitude: 9.5215)
        mapView.addAnnotation(capital)
        mapView.addAnnotation(
            Artwork(
                title: "Reclining Woman", locationName: "Städtle", discipline: "Sculpture",
                coordinate: LocationCoordinate2D(latitude: 47.1389, longitude: 9.5222)))
        mapView.addAnnotation(
            Monkey(name: "Barbary macaque", coordinate: LocationCoordinate2D(latitude: 47.1445, longitude: 9.5145)))
        mapView.showAnnotations(mapView.annotations, animated: false)
    }

    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
        if annotation is UserLocation { return nil }
        if annotation is Monkey {
            let view =
                mapView.dequeueReusableAnnotationView(withIdentifier: "monkey")
                ?? AnnotationView(annotation: annotation, reuseIdentifier: "monkey")
            view.annotation = annotation
            // UIImage(named:)
            view.image = MapImage(.disc(.brown, glyph: "M", diameter: 36))
            view.canShowCallout = true
            return view
        }
        if annotation is Artwork {
            let view = MarkerAnnotationView(annotation: annotation, reuseIdentifier: "artwork")
            view.canShowCallout = true
            view.calloutOffset = ViewPoint(x: -5, y: 5)
            view.markerTintColor = .blue
            view.glyphText = "A"
            // UIButton(type: .detailDisclosure)
            view.rightCalloutAccessoryView = .detailDisclosure
            return view
        }
        var pinView = mapView.dequeueReusableAnnotationView(withIdentifier: "pin") as? PinAnnotationView
        if pinView == nil {
            pinView = PinAnnotationView(annotation: annotation, reuseIdentifier: "pin")
            pinView?.pinTintColor = PinAnnotationView.greenPinColor
            pinView?.animatesDrop = true
            pinView?.canShowCallout = true
        } else {
            pinView?.annotation = annotation
        }
        return pinView
    }

    func mapView(
        _ mapView: MapView, annotationView view: AnnotationView, calloutAccessoryControlTapped control: CalloutAccessory
    ) {
        guard let artwork = view.annotation as? Artwork else { return }
        print(artwork.discipline)
    }
}

final class Artwork: Annotation {
    let title: String?
    let locationName: String
    let discipline: String
    let coordinate: LocationCoordinate2D

    init(title: String, locationName: String, discipline: String, coordinate: LocationCoordinate2D) {
        self.title = title
        self.locationName = locationName
        self.discipline = discipline
        self.coordinate = coordinate
    }

    var subtitle: String? { locationName }
}

final class Monkey: PointAnnotation {
    init(name: String, coordinate: LocationCoordinate2D) {
        super.init()
        self.title = name
        self.coordinate = coordinate
    }
}
