public import LocationModel

/// A balloon at a place of a declared ``Map`` (`Marker` of MapKit for SwiftUI).
public struct Marker: MapContent {
    private let element: MapElement

    /// Declares a marker with a pin.
    public init(_ title: String, coordinate: Coordinate) { self.init(title, coordinate, MapElement.MarkerLook()) }

    /// Declares a marker with up to three letters.
    public init(_ title: String, monogram: String, coordinate: Coordinate) {
        self.init(title, coordinate, MapElement.MarkerLook(monogram: monogram))
    }

    /// Declares a marker with the shape of an image, 20 by 20 pixels.
    public init(_ title: String, image: MapImage, coordinate: Coordinate) {
        self.init(title, coordinate, MapElement.MarkerLook(image: image))
    }

    /// Declares a marker of a place that a search has found.
    public init(item: MapItem) { self.init(item.name, coordinate: item.coordinate) }

    private init(_ title: String, _ coordinate: Coordinate, _ look: MapElement.MarkerLook) {
        element = MapElement(.annotation(title: title, coordinate: coordinate, look))
    }

    /// The marker itself.
    public var body: MapContentGroup { MapContentGroup([element]) }
}

/// A view of the program's at a place of a declared ``Map`` (`Annotation` of MapKit for SwiftUI; here that is the protocol
/// ``Annotation``).
public struct MapAnnotation: MapContent {
    private let element: MapElement

    /// Declares an annotation.
    ///
    /// - Parameters:
    ///   - title: The name for the callout and for screen readers.
    ///   - coordinate: The position.
    ///   - view: Makes the view. It is called when the view is about to be shown, and not for each update: a view changes by its
    ///     own properties, or with another tag (``MapContent/tag(_:)``).
    public init(_ title: String, coordinate: Coordinate, view: @escaping @MainActor () -> AnnotationView) {
        element = MapElement(.annotation(title: title, coordinate: coordinate, nil), makeView: view)
    }

    /// The annotation itself.
    public var body: MapContentGroup { MapContentGroup([element]) }
}

/// The user's location on a declared ``Map`` (`UserAnnotation` of MapKit for SwiftUI). It prompts an undecided user, as
/// ``MapView/showsUserLocation`` does.
public struct UserAnnotation: MapContent {
    /// Declares that the map shows the user's location.
    public init() {}

    /// The annotation itself.
    public var body: MapContentGroup { MapContentGroup([MapElement(.user)]) }
}
