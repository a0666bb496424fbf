import LocationModel
import MapTiles
import PlaceSearch

/// Looks up the name of the user's place while a view is shown. Without installed places there are no names.
actor PlaceLoader {
    private var namer: PlaceNamer?
    private var isClosed = false

    /// The name of the place; `nil` if none is known.
    ///
    /// - Throws: ``PlaceIndexError``, once: a file that cannot be read is not tried again. A place whose look-up alone failed
    ///   has no name.
    func name(at coordinate: Coordinate, accuracy: Double) throws -> PlaceNamer.Name? {
        guard !isClosed else { return nil }
        do {
            if namer == nil { namer = PlaceNamer(try PlaceSearcher(paths: try InstalledPlaces().paths)) }
            return try namer?.name(at: coordinate, accuracy: accuracy)
        } catch is InstalledPlaces.Missing {
            isClosed = true
            return nil
        } catch let error as PlaceIndexError where error.subject == .query {
            return nil
        } catch {
            isClosed = true
            throw error
        }
    }
}
