import LocationSharing
import SharingProgram

/// Sentences about a bridge.
enum BridgeWords {
    /// What a user has to know before the first start.
    static func warning(of endpoint: BridgeEndpoint) -> String {
        if endpoint.destination != nil {
            return
                "While it is shared, it is sent to \(endpoint.description) in the network of \(endpoint.interface) without "
                + "encryption: everybody there, and whoever joins it, can read your position, and so can programs of this machine."
        }
        return
            "While it is shared, everybody in the network of \(endpoint.interface), and whoever joins it, can read your position: it is "
            + "not encrypted, and takes no password."
            + (endpoint.allowsPublic
                ? " Everybody on the Internet can, too, where an address of \(endpoint.interface) is a public one."
                : "")
    }

    /// The addresses to which readers connect now. An interface without one may have one later.
    static func readers(of endpoint: BridgeEndpoint) throws(BridgeProblem) -> String {
        if endpoint.destination != nil { return "Readers listen at UDP port \(endpoint.port)." }
        do throws(BridgeProblem) {
            let addresses = try endpoint.readerAddresses()
            return "Readers connect to \(addresses.joined(separator: " or "))."
        } catch .noAddress(let name) {
            return "\(name) has no address now. Readers can connect when it has one."
        }
    }
}
