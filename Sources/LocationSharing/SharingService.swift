/// A kind of service that positions are sent to.
package enum SharingService: String, CaseIterable, Codable, Hashable, Sendable {
    /// Home Assistant's integration OwnTracks: one webhook for all devices.
    case homeassistant

    /// The name for people.
    package var name: String {
        switch self {
        case .homeassistant: "Home Assistant"
        }
    }

    /// The place where the service shows the URL, in its own words.
    package var whereToFindTheURL: String {
        switch self {
        case .homeassistant:
            "In Home Assistant, open Settings → Devices & services → Add integration → OwnTracks → Submit, which shows the URL."
        }
    }
}
