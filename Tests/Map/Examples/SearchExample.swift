import LocationMap
import LocationModel

/// A search interface of the program's own, as the classic sample has it: rows below the field while the user types, and for the
/// selected row an annotation at the centre of the map.
@MainActor
final class SearchExample: MapViewDelegate, SearchFieldDelegate {
    private let map: MapView
    private let field: SearchField
    private var mapItems: [MapItem] = []

    init(_ map: MapView) {
        self.map = map
        field = SearchField(mapView: map)
        field.placeholder = "Enter a search query"
        field.delegate = self
        field.rows = { [weak self] in await self?.search(forSearchString: $0) ?? [] }
        map.setCenter(LocationCoordinate2D(latitude: 47.14, longitude: 9.52), animated: false)
        map.addControl(field)
    }

    private func search(forSearchString text: String) async -> [SearchField.Row] {
        var request = LocalSearch.Request(naturalLanguageQuery: text)
        request.region = CoordinateRegion(
            center: map.centerCoordinate, span: CoordinateSpan(latitudeDelta: 0.25, longitudeDelta: 0.25))
        do {
            mapItems = try await LocalSearch(request: request).start().mapItems
        } catch {
            say("local search error: \(error)")
            mapItems = []
        }
        return mapItems.enumerated().map {
            .init(id: "\($0.offset)", title: $0.element.name, subtitle: $0.element.placemark.title)
        }
    }

    func searchField(_ searchField: SearchField, didSelect row: SearchField.Row) {
        guard let index = Int(row.id), mapItems.indices.contains(index) else { return }
        let item = mapItems[index]
        map.addAnnotation(PointAnnotation(coordinate: item.coordinate, title: item.name))
        map.setCenter(item.coordinate, animated: true)
        say("\(item.name) is shown.")
    }

    func searchField(_ searchField: SearchField, didSubmit text: String) { say("“\(text)” is submitted.") }
}
