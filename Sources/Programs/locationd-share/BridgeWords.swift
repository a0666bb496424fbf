import LocationSharing
import SharingProgram

/// Sentences about a bridge.
enum BridgeWords {
    /// What a user has to know before the first start.
    static func warning(of endpoint: BridgeEndpoint) -> String {
        "While it is shared, everybody in the network of \(endpoint.interface), and whoever joins it, can read your position: it is "
            + "not encrypted, and takes no password."
            + (endpoint.allowsPublic
                ? " Everybody on the Internet can, too, where an address of \(endpoint.interface) is a public one."
                : "")
    }

    /// The addresses to which readers connect now. An interface without one may have one later.
    static func readers(of endpoint: BridgeEndpoint) throws(BridgeProblem) -> String {
        do throws(BridgeProblem) {
            let addresses = try endpoint.readerAddresses()
            return "Readers connect to \(addresses.joined(separator: " or "))."
        } catch .noAddress(let name) {
            return "\(name) has no address now. Readers can connect when it has one."
        }
    }
}
