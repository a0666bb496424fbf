import LocationMap
import LocationModel
import Observation

/// A map as a declaration: the harbours of a lake, and a circle around the one that is selected.
@MainActor
final class DeclaredExample: MapViewDelegate {
    private struct Harbour {
        let name: String
        let coordinate: Coordinate
    }

    @Observable
    @MainActor
    fileprivate final class Model {
        var selected: String?
        var visited: [Coordinate] = []
    }

    private static let harbours = [
        Harbour(name: "Bregenz", coordinate: Coordinate(latitude: 47.507, longitude: 9.744)),
        Harbour(name: "Lindau", coordinate: Coordinate(latitude: 47.543, longitude: 9.682)),
        Harbour(name: "Rorschach", coordinate: Coordinate(latitude: 47.479, longitude: 9.492)),
    ]

    private let model = Model()

    init(_ map: MapView) {
        map.show { [model] in
            Map {
                if model.visited.count > 1 {
                    MapPolyline(coordinates: model.visited).stroke(.purple, lineWidth: 3, dash: [6, 4])
                }
                for harbour in Self.harbours {
                    if harbour.name == model.selected {
                        MapCircle(center: harbour.coordinate, radius: 3000)
                            .foregroundStyle(.orange.withAlpha(0.3)).mapOverlayLevel(level: .aboveRoads)
                    }
                    Marker(harbour.name, monogram: String(harbour.name.prefix(1)), coordinate: harbour.coordinate)
                        .tint(.blue).tag(harbour.name)
                }
            }
            .mapControls {
                MapCompass().mapControlVisibility(.visible)
                MapScaleView().mapControlVisibility(.visible)
            }
            .selection(model.selected) { name in
                model.selected = name
                guard let harbour = Self.harbours.first(where: { $0.name == name }) else { return say("No harbour.") }
                model.visited.append(harbour.coordinate)
                say("\(harbour.name) is selected.")
            }
        }
    }
}
