/// The properties of a map's page that only the program sets, except that the user may choose the type.
struct MapPresentation {
    var type = MapType.standard
    var appearance = MapAppearance.system
    var title = "Map"
    var menuItems: [String] = []
    var pointOfInterestFilter: PointOfInterestFilter?
}
