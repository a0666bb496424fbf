import LocationClient

/// The values that the listings of the documentation use without a declaration.
struct Surroundings {
    let manager = LocationManager()
    @MainActor let map = Screen()
}

/// A map that a program draws.
@MainActor
final class Screen {
    var center: Coordinate?
    var bearing = 0.0
}

func show(_ event: UserTracking.Event) { print(event) }

func showHint(_ text: String?) { print(text ?? "") }
