import Glibc
import XMLEvents

/// The namespaces of a GPX file.
enum GPXNamespace: Hashable {
    static let version1_1 = "http://www.topografix.com/GPX/1/1"
    /// Garmin's track point extension, which many programs read; used for speed and course.
    static let garmin = "http://www.garmin.com/xmlschemas/TrackPointExtension/v2"
    /// This project's extension, for values that have no place in the others. Its elements are named after the
    /// properties of `Location`; all are decimal numbers in metres, metres a second or degrees, accuracies as one
    /// sigma: `ellipsoidalAltitude` (if the altitude above mean sea level is unknown; otherwise `geoidheight` gives
    /// it), `horizontalAccuracy`, `verticalAccuracy`, `courseAccuracy`, `speedAccuracy`.
    static let own = "https://locationd.org/gpx/1"

    /// No namespace, GPX itself, Garmin's extensions of track points and of route points, this project's, and any other.
    case none, gpx, trackPoint, routePoint, locationd, other

    /// The namespace with a URI. Versions and spellings of GPX and of Garmin's extensions are not told apart.
    init(_ uri: String) {
        switch uri {
        case "": self = .none
        case Self.own: self = .locationd
        case _ where uri.contains("topografix.com/GPX/"): self = .gpx
        case _ where uri.contains("garmin.com/xmlschemas/TrackPointExtension/"): self = .trackPoint
        case _ where uri.contains("garmin.com/xmlschemas/GpxExtensions/"): self = .routePoint
        default: self = .other
        }
    }
}

/// The namespaces that prefixes stand for in the open elements of a document.
struct GPXPrefixes {
    /// The declarations, those of the innermost element last.
    private var declared: [(prefix: String, namespace: GPXNamespace, depth: Int)] = []

    /// Adds the declarations of an element at `depth`.
    mutating func open(_ tag: XMLTag, depth: Int) {
        tag.forEachAttribute { name, value in
            guard strncmp(name, "xmlns", 5) == 0 else { return }
            guard name[5] == 0 || name[5] == CChar(UInt8(ascii: ":")) else { return }
            let prefix = name[5] == 0 ? "" : String(cString: name + 6)
            declared.append((prefix, GPXNamespace(String(cString: value)), depth))
        }
    }

    /// Removes the declarations of the element at `depth`, which ends.
    mutating func close(depth: Int) {
        while let last = declared.last, last.depth >= depth { declared.removeLast() }
    }

    /// The namespace and the local name of an element. A prefix that nobody has declared, as some programs write them, has
    /// its usual meaning.
    func resolve(_ name: String) -> (namespace: GPXNamespace, local: String) {
        let colon = name.utf8.firstIndex(of: UInt8(ascii: ":"))
        let (prefix, local) =
            colon.map { (String(name[..<$0]), String(name[name.index(after: $0)...])) } ?? ("", name)
        if let found = declared.last(where: { $0.prefix == prefix }) { return (found.namespace, local) }
        switch prefix {
        case "": return (.none, local)
        case "gpxtpx": return (.trackPoint, local)
        case "gpxx": return (.routePoint, local)
        default: return (.other, local)
        }
    }
}
