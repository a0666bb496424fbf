/// A kind of service that positions are sent to, or of bridge: what gives them to whoever is in a network of the user's.
package enum SharingService: String, CaseIterable, Codable, Hashable, Sendable {
    /// Home Assistant's integration OwnTracks: one webhook for all devices.
    case homeassistant
    /// Traccar, at the address of its web page.
    case traccar
    /// Dawarich, at the address of its web page.
    case dawarich
    /// OwnTracks Recorder, or another service that takes OwnTracks' messages over HTTP.
    case owntracks
    /// reitti, or another service that takes Overland's batches.
    case overland
    /// A broker, to which OwnTracks' messages are published by MQTT.
    case mqtt
    /// A bridge that sends sentences of NMEA 0183.
    case nmea
    /// A bridge that sends deltas of Signal K.
    case signalk

    /// What a service needs besides its URL.
    package enum Key: Hashable, Sendable {
        /// Nothing.
        case none
        /// A key that is asked for by this name.
        case required(String)
        /// A key that may be left out.
        case optional(String)
    }

    /// The name for people.
    package var name: String {
        switch self {
        case .homeassistant: "Home Assistant"
        case .traccar: "Traccar"
        case .dawarich: "Dawarich"
        case .owntracks: "OwnTracks Recorder"
        case .overland: "Overland server"
        case .mqtt: "MQTT broker"
        case .nmea: "NMEA 0183"
        case .signalk: "Signal K"
        }
    }

    /// The place where the service shows the URL and the key, in its own words.
    package var whereToFindTheURL: String {
        switch self {
        case .homeassistant:
            "In Home Assistant, open Settings → Devices & services → Add integration → OwnTracks → Submit, which shows the URL."
        case .traccar:
            "The URL is the address of Traccar's page in the browser. The key is the identifier of a device: open Devices → + "
                + "there, and give it a name and a long identifier, which is its only secret."
        case .dawarich: "The URL is the address of Dawarich's page in the browser. Its page Account shows the API key."
        case .owntracks:
            "The server's owner gives you the URL, such as https://tracks.example/pub, with user and password."
        case .overland:
            "The service shows the URL and a token; reitti: Settings → API tokens, with a device, and Integrations."
        case .mqtt:
            "The broker's owner gives you its address, such as mqtts://broker.example:8883, with a user and password, or a certificate."
        case .nmea, .signalk: "A bridge has an interface and a port, and no URL."
        }
    }

    package var key: Key {
        switch self {
        case .homeassistant, .nmea, .signalk: .none
        case .traccar: .required("Identifier of the device")
        case .dawarich: .required("API key")
        case .owntracks, .mqtt: .optional("USER:PASSWORD")
        case .overland: .required("Token")
        }
    }

    /// True if the service files a position under the time of its fix. The others take each for the present one.
    package var keepsTime: Bool { self != .homeassistant && !isBridge }

    /// The greatest number of positions in one message.
    package var batchLimit: Int {
        switch self {
        // A broker takes 20 messages before it has acknowledged the first one.
        case .mqtt: 20
        case .homeassistant, .traccar, .owntracks, .nmea, .signalk: 1
        case .dawarich, .overland: 100
        }
    }

    /// True if the service can forget the position.
    package var forgetsPosition: Bool { self == .homeassistant || self == .mqtt }

    /// True if the service shows the last position as the present one after the end.
    package var keepsLastPosition: Bool { !forgetsPosition && !isBridge }

    /// True for a bridge. Its readers get each position, and the present one again and again, for as long as it is present.
    package var isBridge: Bool { self == .nmea || self == .signalk }
}
