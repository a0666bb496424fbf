import Glibc

/// The kind of a file of which a region is made.
package enum RegionSource: String, Hashable, Sendable, CaseIterable {
    /// An extract of OpenStreetMap.
    case extract = ".osm.pbf"
    /// An archive of vector tiles.
    case archive = ".mbtiles"

    /// The kind by the ending of a file's name; `nil` for other files.
    package init?(file: String) {
        guard let kind = Self.allCases.first(where: { file.lowercased().hasSuffix($0.ending) }) else { return nil }
        self = kind
    }

    /// The ending of the names of such files.
    package var ending: String { rawValue }

    /// The programs of other packages that make a region of it.
    package var tools: [RegionTool] {
        switch self {
        case .extract: [.tilemaker, .osmium]
        case .archive: []
        }
    }
}

/// A program of another package that does a part of the work.
package struct RegionTool: Hashable, Sendable {
    /// The name of the program.
    package let name: String
    /// The Debian package of the program.
    package let package: String

    package init(name: String, package: String) { (self.name, self.package) = (name, package) }

    package static let tilemaker = RegionTool(name: "tilemaker", package: "tilemaker")
    package static let osmium = RegionTool(name: "osmium", package: "osmium-tool")

    /// True if the program is in `PATH`.
    package var isInstalled: Bool { Self.path(of: name) != nil }

    /// Returns the path of a program in `PATH`; `nil` if there is none.
    package static func path(of name: String) -> String? {
        let places = getenv("PATH").flatMap { String(validatingCString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return places.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
