import Glibc
import LocationModel
import POSIXSupport

/// The places and routes that the user has saved on maps, in a file of the user's own.
///
/// The file is GeoJSON, which other programs can read and write: its points are the places, its lines the routes. Several programs may have it open: each change is made to the
/// file as it is then.
///
/// ```swift
/// map.savedPlaces = SavedPlaces(path: "/home/ann/.local/share/locationd/places.geojson")
/// ```
@MainActor
public final class SavedPlaces {
    /// The greatest number of places.
    public static let maximumCount = 2000
    /// The greatest number of routes.
    public static let maximumRouteCount = 500
    /// The largest file that is read and written, in bytes.
    private let maximumSize: Int

    /// The path of the file.
    public let path: String
    /// The places as of the last reading, in the order of the file.
    public private(set) var places: [SavedPlace] = []
    /// The routes as of the last reading, in the order of the file.
    public private(set) var routes: [SavedRoute] = []
    /// The reason why the file could not be read the last time, as a sentence; `nil` if it could, or if there is none yet.
    public var problem: String? { error?.description }
    private(set) var error: SavedPlacesError?
    /// The reader of the files that pages show and import; `nil`, the default, for pages that do neither.
    public var fileReader: PlaceFile.Reader?

    /// Opens the file at an absolute path. It is made, with its directory, when the first place is saved.
    public convenience init(path: String) { self.init(path: path, maximumSize: 16 << 20) }

    init(path: String, maximumSize: Int) {
        (self.path, self.maximumSize) = (path, maximumSize)
        reload()
    }

    /// The user's own file: `$XDG_DATA_HOME/locationd/places.geojson`, by default below `~/.local/share`; `nil` without a home.
    public static var standardPath: String? { UserDirectories.data.map { $0 + "/locationd/places.geojson" } }

    /// Reads the file again.
    public func reload() {
        do throws(SavedPlacesError) {
            show(try read())
        } catch {
            self.error = error
        }
    }

    /// Adds places and routes, all or none. One whose identifier is known replaces that one; a place keeps its position.
    public func save(_ places: [SavedPlace], routes: [SavedRoute] = []) throws(SavedPlacesError) {
        try change { document throws(SavedPlacesError) in
            for place in places { document.save(place) }
            for route in routes { document.save(route) }
            // A file of another program may have more already.
            guard places.isEmpty || document.places.count <= Self.maximumCount else {
                throw tooLarge("more than \(Self.maximumCount) places")
            }
            guard routes.isEmpty || document.routes.count <= Self.maximumRouteCount else {
                throw tooLarge("more than \(Self.maximumRouteCount) routes")
            }
        }
    }

    private func tooLarge(_ excess: String) -> SavedPlacesError {
        SavedPlacesError(path: path, reason: "there would be \(excess); remove some first")
    }

    /// Removes the place or route with an identifier. One that is not there is removed already.
    public func remove(_ id: String) throws(SavedPlacesError) { try change { $0.remove(id) } }

    private func show(_ document: SavedPlacesDocument) {
        (places, routes, error) = (document.places, document.routes, nil)
    }

    private var file: UserFile<SavedPlacesError> {
        UserFile(path: path, maximumSize: maximumSize) { [path] in SavedPlacesError(path: path, reason: $0) }
    }

    private func read() throws(SavedPlacesError) -> SavedPlacesDocument {
        guard let bytes = try file.read() else { return SavedPlacesDocument() }
        do {
            return try SavedPlacesDocument(bytes)
        } catch {
            throw SavedPlacesError(path: path, reason: error.reason)
        }
    }

    /// Makes a change to the file as it is now. Other programs wait.
    private func change(
        _ change: (inout SavedPlacesDocument) throws(SavedPlacesError) -> Void
    ) throws(SavedPlacesError) {
        let lock = try file.lockDirectory()
        defer { close(lock) }
        var document = try read()
        try change(&document)
        let bytes = document.bytes
        guard bytes.count <= maximumSize else { throw tooLarge("more than \(maximumSize >> 20) MiB") }
        try file.write(bytes)
        show(document)
    }
}

/// The file of saved places cannot be read or written.
public struct SavedPlacesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// The reason, without a capital letter and a full stop.
    public let reason: String

    /// A sentence for people.
    public var description: String { sentence.description }

    var sentence: PageSentence {
        PageSentence("The saved places in {path} cannot be used: {reason}.", ["path": path, "reason": reason])
    }
}
