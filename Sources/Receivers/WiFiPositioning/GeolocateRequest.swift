/// A request of a positioning server: Geolocate v1, as ichnaea and its successors understand it.
///
/// It has the addresses of access points with strength, frequency and age, and never a name. It forbids the server to answer
/// by the address on the Internet.
package struct GeolocateRequest: Sendable {
    /// The server.
    package let server: ServerAddress
    /// The header lines that this project sets. The library adds Host, Content-Length and Accept.
    package let headers: [String]
    /// The content.
    package let body: String

    /// A request about these access points; `nil` if there are too few or too many, or if one may not be asked about.
    ///
    /// - Parameter version: the release of this program.
    package init?(_ points: [AccessPoint], of server: ServerAddress, version: String) {
        let addresses = Set(points.map(\.address))
        guard addresses.count == points.count, points.count >= AccessPointSelection.minimumCount,
            points.count <= AccessPointSelection.maximumCount, addresses.allSatisfy(\.isUsable)
        else { return nil }
        self.server = server
        headers = ["Content-Type: application/json", "User-Agent: locationd/\(version)"]
        let list = points.map {
            #"{"macAddress":"\#($0.address)","signalStrength":\#($0.signalStrength),"frequency":\#($0.frequency),"#
                + #""age":\#($0.age)}"#
        }
        body =
            #"{"considerIp":false,"fallbacks":{"ipf":false,"lacf":false},"wifiAccessPoints":["#
            + list.joined(separator: ",") + "]}"
    }
}
