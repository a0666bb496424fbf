import PageServing

// The events of the map's page.

extension WireEvent.Name {
    static let map = Self("map")
    static let camera = Self("camera")
    static let controls = Self("controls")
    static let user = Self("user")
    static let tracking = Self("tracking")
    static let overlays = Self("overlays")
    static let views = Self("views")
    static let selected = Self("selected")
    static let saved = Self("saved")
    static let regions = Self("regions")
    static let prompt = Self("prompt")
    static let fleet = Self("fleet")
    static let notice = Self("notice")
}
