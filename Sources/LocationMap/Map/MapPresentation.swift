/// The properties of a map's page that the program sets and nothing else changes, except that a person may choose the type.
struct MapPresentation {
    var type = MapType.standard
    var appearance = MapAppearance.system
    var title = "Map"
    var menuItems: [String] = []
}
