package import GPSDProtocol

/// The source of fixes that the service's status names.
package enum StatedSource: Hashable {
    case gpsd(GPSDAddress)
    /// A recorded track instead of a gpsd.
    case replay(String)

    /// Parses the name in the status: `127.0.0.1:2947`, `[::1]:2947`, a path, or `replay:FILE`.
    package init?(_ name: String) {
        if name.hasPrefix("replay:") {
            self = .replay(name)
        } else if name.contains(where: { $0 == ":" || $0 == "/" }), let address = GPSDAddress(name) {
            self = .gpsd(address)
        } else {
            return nil
        }
    }

    package var address: GPSDAddress? { if case .gpsd(let address) = self { address } else { nil } }
    package var replayed: String? { if case .replay(let name) = self { name } else { nil } }
}
