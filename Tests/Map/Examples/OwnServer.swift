import Hummingbird
import LocationMap

/// A server of the program's own, with the page of a map beside its other routes.
enum OwnServer {
    @MainActor
    static func run(port: Int) async throws {
        let map = MapView()
        let harbour = LocationCoordinate2D(latitude: 21.3, longitude: -157.9)
        map.addAnnotation(PointAnnotation(coordinate: harbour, title: "Harbour"))
        let page = try MapPage(map)
        let router = Router()
        router.get("tides") { _, _ in "High tide at noon." }
        page.addRoutes(to: router)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), services: [page],
            onServerRunning: { _ in say("http://127.0.0.1:\(port)\(page.makePath())") })
        try await application.runService()
    }
}
