import LocationMap
import LocationTracks

extension PlaceFile {
    /// Reads a file in any format of tracks.
    @Sendable
    static func read(_ content: [UInt8], _ name: String) throws(Unreadable) -> PlaceFile {
        do throws(TrackError) {
            return PlaceFile(try Track(bytes: content, file: name))
        } catch {
            throw Unreadable(line: error.line, reason: error.reason)
        }
    }

    /// The waypoints, the tracks with each of their segments as a line, and the routes. Points of GeoJSON without times are
    /// places.
    init(_ track: Track) {
        // Above mean sea level if there are any such, otherwise above the ellipsoid, but never a mix.
        let hasAltitude = track.points.contains { $0.altitude != nil }
        self.init(
            places: track.waypoints.map { Place($0.coordinate, name: $0.name, note: $0.details, color: $0.color) },
            omissions: track.omissionsBesideRoutes.phrase)
        for segment in track.segments + track.routes {
            if segment.isLine || segment.points.contains(where: { $0.time != nil }) {
                let points = segment.points.map {
                    SavedRoute.Point($0.coordinate, altitude: hasAltitude ? $0.altitude : $0.ellipsoidalAltitude)
                }
                lines.append(Line(points, name: segment.name, note: segment.details, color: segment.color))
            } else {
                places += segment.points.map {
                    Place($0.coordinate, name: segment.name, note: segment.details, color: segment.color)
                }
            }
        }
    }
}
