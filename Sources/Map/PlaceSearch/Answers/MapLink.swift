public import LocationModel

/// A place in a link: a `geo:` URI (RFC 5870) with the additions that maps on phones write, or the address of a page of
/// OpenStreetMap, Google Maps, Apple Maps, Bing Maps, OsmAnd and others with parameters of the same names.
///
/// The place comes before the window's centre, and a text for a search before both if the link gives 0, 0 with it. A parameter
/// that cannot be read is ignored; the link is not. Links that only a server can resolve have no place here.
public struct MapLink: Hashable, Sendable {
    /// The coordinate; `nil` if the place has to be searched for by its name.
    public var coordinate: Coordinate?
    /// The name or address, of at most 200 characters; `nil` if none is stated. There is one if there is no coordinate.
    public var name: String?
    /// The radius of the uncertainty in metres (`u`); `nil` if none is stated.
    public var uncertainty: Double?
    /// The zoom level of a map with tiles of 256 pixels, 0 to 22; `nil` if none is stated.
    public var zoom: Double?

    /// The greatest length of a link, in bytes.
    public static let maximumLength = 2048

    /// True if a text is meant as a link: it begins with the scheme of one.
    public static func isLink(_ text: String) -> Bool { Address(text) != nil }

    /// Returns the name in a link that has no coordinate; any other text as it is.
    static func searchText(of text: String) -> String {
        guard let link = MapLink(text), link.coordinate == nil else { return text }
        return link.name ?? text
    }

    /// Reads a link; `nil` if it has neither a coordinate nor a name.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, let address = Address(text) else { return nil }
        if address.scheme == "geo" { readGeo(address) } else { readPage(address) }
        name = name.flatMap { name in
            let line = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return line.isEmpty ? nil : String(line.prefix(200))
        }
        guard coordinate != nil || name != nil else { return nil }
    }

    // MARK: geo:

    /// Reads `LATITUDE,LONGITUDE[,HEIGHT](NAME);crs=wgs84;u=METRES?z=LEVEL&q=QUERY`, in which the parameters may follow any of
    /// the signs.
    private mutating func readGeo(_ address: Address) {
        let (place, label) = Self.labelled(address.place)
        coordinate = Self.pairWithCommas(place) ?? Self.pair(place)
        name = label
        if let value = address["u"].flatMap({ Double($0) }), value >= 0, value.isFinite { uncertainty = value }
        if let value = address["z"].flatMap({ Double($0) }), (0...22).contains(value) { zoom = value }
        // A coordinate on the moon is not one on the earth.
        if let system = address["crs"], system.lowercased() != "wgs84" { coordinate = nil }
        guard let query = address["q"] else { return }
        // Writers give 0, 0 if the place is in the query.
        if coordinate == Coordinate(latitude: 0, longitude: 0) { coordinate = nil }
        let (text, title) = Self.labelled(query)
        if let found = Self.pair(text) {
            (coordinate, name) = (found, title)
        } else if !query.isEmpty {
            name = query
        }
    }

    // MARK: Pages

    /// The parameters that have the place, and those that have the centre of the window or the way to the place, in the order in
    /// which they count.
    private static let places = [
        "pin", "destination", "daddr", "to", "end", "finish", "coordinate", "query", "q", "sp", "where1", "pt",
        "marker", "point", "whatshere[point]",
        "route", "rtp", "address",
    ]
    private static let centers = ["ll", "center", "cp", "sll", "cbll", "map"]
    /// The hosts whose pairs have the longitude first.
    private static let longitudeFirst = ["yandex.", "2gis."]

    private mutating func readPage(_ address: Address) {
        let isReversed = Self.longitudeFirst.contains { address.host.contains($0) }
        func pair(_ text: String) -> Coordinate? { Self.pair(text, isReversed: isReversed) }
        func keys(_ latitude: String, _ longitudes: String...) -> Coordinate? {
            let longitude = longitudes.lazy.compactMap { address[$0] }.first
            guard let latitude = address[latitude], let longitude else { return nil }
            return Self.pair("\(latitude),\(longitude)")
        }
        // Google: "!3d" and "!4d" are the latitude and longitude of the place, "@" is the centre of the window.
        coordinate = Self.after("!3d", "!4d", in: address.path) ?? keys("mlat", "mlon")
        // Mapy's point has the longitude first, its window x and y.
        if address["source"] == "coor" { coordinate = address["id"].flatMap { Self.pair($0, isReversed: true) } }
        if let value = address["params"] { coordinate = Self.geohack(value) }
        // The stops of a route have the longitude first.
        if coordinate == nil, address.path.contains("/dir/") {
            coordinate = Self.after("!1d", "!2d", in: address.path, isReversed: true)
        }
        for key in Self.places {
            guard let value = address[key] else { continue }
            // The last stop of a route.
            let stop = value.split(whereSeparator: { $0 == ";" }).last.map(String.init) ?? value
            let (text, label) = Self.labelled(
                stop.contains("~pos.") ? String(stop.split(separator: "~").last ?? "") : stop)
            if let found = pair(text) {
                coordinate = coordinate ?? found
                name = label ?? name
            } else if ["q", "query", "address", "daddr", "destination"].contains(key), !value.isEmpty {
                name = name ?? value
            }
        }
        let steps = address.path.split(separator: "/").map { Address.decoded($0) }
        // The window of a search is not the place that is searched for.
        var isSearch = false
        if let step = steps.firstIndex(where: { ["place", "search", "dir"].contains($0) }) {
            let rest = steps[(step + 1)...].prefix { !$0.hasPrefix("@") && !$0.hasPrefix("data=") }
            if let value = steps[step] == "dir" ? rest.last : rest.first {
                if let found = pair(value) {
                    coordinate = coordinate ?? found
                } else {
                    name = name ?? value
                    isSearch = steps[step] != "place"
                }
            }
        }
        if coordinate == nil, !isSearch {
            coordinate = keys("lat", "lon", "lng") ?? keys("y", "x") ?? Self.level(address)
            var texts = Self.centers.compactMap { address[$0] }
            if let center = steps.first(where: { $0.hasPrefix("@") }) { texts.append(String(center.dropFirst())) }
            if let last = steps.last, last.contains(",") { texts.append(last) }
            texts += address.values
            let ends = steps.suffix(2)
            if ends.count == 2, ends.allSatisfy({ $0.contains(".") && Double($0) != nil }) {
                texts.append(ends.joined(separator: ","))
            }
            coordinate = coordinate ?? texts.lazy.compactMap(pair).first
        }
        // A plus is no space there.
        let last = address.path.split(separator: "/").last.map {
            $0.replacing("%2B", with: "+").replacing("%2b", with: "+")
        }
        if let code = last.flatMap({ PlusCode($0) }), code.isFull { coordinate = coordinate ?? code.area?.center }
        name = name ?? address["name"]
        zoom = address["z"].flatMap { Double($0) }.flatMap { (0...22).contains($0) ? $0 : nil }
    }

    /// Returns the place of Wikipedia's links: `48_12_30_N_16_22_23_E_type:landmark`.
    private static func geohack(_ text: String) -> Coordinate? {
        let parts = text.split { $0 == "_" || $0 == " " }.prefix { !$0.contains(":") }
        return CoordinateText.coordinate(parts.joined(separator: " "))
    }

    /// Returns the pair in `47,14,9,52` or `47,14;9,52`, with decimal commas.
    private static func pairWithCommas(_ text: String) -> Coordinate? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "," || $0 == ";" }
        guard parts.count == 4, parts.allSatisfy({ Int($0) != nil }), parts[1].first?.isNumber == true,
            parts[3].first?.isNumber == true
        else { return nil }
        return pair("\(parts[0]).\(parts[1]),\(parts[2]).\(parts[3])")
    }

    /// Returns the last pair of numbers after two marks, as in `!3d48.2!4d16.37`.
    private static func after(
        _ latitude: String, _ longitude: String, in text: String, isReversed: Bool = false
    ) -> Coordinate? {
        let parts = text.split(separator: "!").map { "!" + $0 }
        for (one, two) in zip(parts, parts.dropFirst()).reversed()
        where one.hasPrefix(latitude) && two.hasPrefix(longitude) {
            let number = two.dropFirst(longitude.count).prefix { $0.isNumber || $0 == "." || $0 == "-" }
            if let found = pair("\(one.dropFirst(latitude.count)),\(number)", isReversed: isReversed) { return found }
        }
        return nil
    }

    /// Returns the centre in a fragment `map=LEVEL/LATITUDE/LONGITUDE` or `LEVEL/LATITUDE/LONGITUDE`.
    private static func level(_ address: Address) -> Coordinate? {
        let parts = (address["map"] ?? address.fragment).split(separator: "/")
        return parts.count >= 3 && Double(parts[0]) != nil ? pair("\(parts[1]),\(parts[2])") : nil
    }

    // MARK: Texts

    /// Divides `48.2,16.37(Name)` and `Name@48.2,16.37`.
    private static func labelled(_ text: String) -> (place: String, label: String?) {
        if let open = text.firstIndex(of: "("), open != text.startIndex {
            let label = text[text.index(after: open)...]
            return (String(text[..<open]), String(label.hasSuffix(")") ? label.dropLast() : label))
        }
        if let at = text.lastIndex(of: "@"), pair(String(text[text.index(after: at)...])) != nil {
            return (String(text[text.index(after: at)...]), String(text[..<at]))
        }
        return (text, nil)
    }

    /// Returns a pair of degrees, or a coordinate in another notation.
    private static func pair(_ text: String, isReversed: Bool = false) -> Coordinate? {
        var text = text[...]
        for prefix in ["loc:", "point.", "pos.", "ll."] where text.lowercased().hasPrefix(prefix) {
            text = text.dropFirst(prefix.count)
        }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "," || $0 == "~" || $0 == "_" }
            .map { part in Double(part.filter { $0 != " " }) }
        guard parts.count >= 2, let first = parts[0], let second = parts[1] else {
            return text.contains(where: \.isNumber) ? CoordinateText.coordinate(String(text)) : nil
        }
        return isReversed
            ? Coordinate(latitude: second, longitude: first) : Coordinate(latitude: first, longitude: second)
    }

    // MARK: Addresses

    /// The parts of a link.
    private struct Address {
        let scheme: String
        var host = ""
        /// The text after the host, or in a `geo:` URI before the parameters. Not decoded.
        var path = ""
        var fragment = ""
        private var parameters: [String: String] = [:]
        /// The parameters without a name.
        private(set) var values: [String] = []

        private static let schemes = [
            "geo", "http", "https", "google.navigation", "comgooglemaps", "maps", "om", "waze", "here-route",
            "magicearth",
        ]
        /// The beginnings of the addresses that are also read without a scheme.
        private static let hosts = [
            "google.", "maps.google.", "openstreetmap.org", "osm.org", "maps.apple.com", "bing.com", "waze.com",
            "osmand.net",
            "yandex.", "mapy.", "wego.here.com", "share.here.com", "organicmaps.app",
        ]

        /// The coordinate of a `geo:` URI.
        var place: String { Self.decoded(path[...]) }

        subscript(name: String) -> String? { parameters[name] }

        init?(_ text: String) {
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let text = Self.withScheme(words)
            guard let colon = text.firstIndex(of: ":") else { return nil }
            let scheme = text[..<colon].lowercased()
            guard Self.schemes.contains(scheme) else { return nil }
            self.scheme = scheme
            var rest = text[text.index(after: colon)...].drop { $0 == "/" }
            if let hash = rest.firstIndex(of: "#") {
                fragment = Self.decoded(rest[rest.index(after: hash)...])
                rest = rest[..<hash]
            }
            let isGeo = scheme == "geo"
            // A label may have any sign.
            let marks: Set<Character> = isGeo ? ["?", ";", "&"] : scheme.hasPrefix("http") ? ["?"] : ["?", "&"]
            let isQuery =
                !isGeo && !scheme.hasPrefix("http") && rest.prefix { $0 != "&" }.contains("=") && !rest.contains("?")
            let end =
                isQuery
                ? rest.startIndex
                : rest.indices.first { index in
                    // "47,14;9,52" is no parameter.
                    marks.contains(rest[index])
                        && !(rest[index] == ";" && rest[rest.index(after: index)...].first.map(Self.isNumber) == true)
                } ?? rest.endIndex
            path = String(rest[..<end])
            // The parameters of a geo: URI before the question mark are divided by semicolons.
            let query = rest[end...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            var items = (query.first ?? "").split { $0 == "&" || isGeo && $0 == ";" }
            if query.count > 1 { items += query[1].split(separator: "&") }
            items += fragment[...].split(separator: "&")
            for item in items {
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else {
                    values.append(Self.decoded(parts[0]))
                    continue
                }
                let key = Self.decoded(parts[0]).lowercased()
                // Of several points of a way, the last one.
                if parameters[key] == nil || key == "point" { parameters[key] = Self.decoded(parts[1]) }
            }
            if !isGeo {
                host = path.prefix { $0 != "/" }.lowercased()
                path = String(path.dropFirst(host.count))
            }
        }

        private static func isNumber(_ character: Character) -> Bool { character.isNumber || "+-".contains(character) }

        /// The address without the brackets and quotation marks around it, and with the scheme that people leave out.
        private static func withScheme(_ text: String) -> String {
            var text = text[...]
            for (start, end) in [("<", ">"), ("\"", "\""), ("“", "”"), ("«", "»")]
            where text.count > 2 && text.hasPrefix(start) && text.hasSuffix(end) {
                text = text.dropFirst().dropLast()
            }
            let bare = text.drop { $0 == "/" }.lowercased()
            let host = bare.hasPrefix("www.") ? bare.dropFirst(4) : bare[...]
            let isKnown = hosts.contains { host.hasPrefix($0) } && host.contains { "/?#".contains($0) }
            return isKnown ? "https://" + text.drop { $0 == "/" } : String(text)
        }

        /// The text without percent-encoding, and with spaces for plus signs. An invalid sequence stays.
        static func decoded(_ text: Substring) -> String {
            var bytes: [UInt8] = []
            var rest = text.utf8[...]
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16) {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
