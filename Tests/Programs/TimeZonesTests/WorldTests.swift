import LocationModel
import POSIXSupport
import Testing

@testable import TimeZones

/// The grid that the package has. `make time-zones` makes it.
private let world = Result {
    do {
        return try TimeZoneGrid(SmallFile.read(".build/timezones/timezones.grid", limit: TimeZoneGrid.largestFile))
    } catch let error as Errno {
        throw Missing(reason: "\(error). To make the grid of time zones, run: make time-zones")
    }
}

private struct Missing: Error {
    var reason: String
}

private func verdict(_ latitude: Double, _ longitude: Double, _ radius: Double) throws -> TimeZoneVerdict {
    let centre = try #require(Coordinate(latitude: latitude, longitude: longitude))
    return TimeZoneVerdict(try world.get().zones(around: centre, radius: radius), showSameTime: ==)
}

@Suite("The time zones of the world")
struct WorldTests {
    /// A place in each of many countries, none within 9 km of a border or of the open sea.
    static let places: [(latitude: Double, longitude: Double, zone: String)] = [
        (52.52, 13.41, "Europe/Berlin"), (48.86, 2.35, "Europe/Paris"), (51.51, -0.13, "Europe/London"),
        (40.42, -3.70, "Europe/Madrid"), (28.12, -15.43, "Atlantic/Canary"), (38.72, -9.14, "Europe/Lisbon"),
        (37.74, -25.67, "Atlantic/Azores"), (45.46, 9.19, "Europe/Rome"), (46.95, 7.45, "Europe/Zurich"),
        (47.07, 15.44, "Europe/Vienna"), (50.08, 14.44, "Europe/Prague"), (52.23, 21.01, "Europe/Warsaw"),
        (59.33, 18.07, "Europe/Stockholm"), (59.91, 10.75, "Europe/Oslo"), (60.17, 24.94, "Europe/Helsinki"),
        (55.68, 12.35, "Europe/Copenhagen"), (64.15, -21.94, "Atlantic/Reykjavik"), (53.35, -6.26, "Europe/Dublin"),
        (37.98, 23.73, "Europe/Athens"), (41.01, 28.98, "Europe/Istanbul"), (44.43, 26.10, "Europe/Bucharest"),
        (50.45, 30.52, "Europe/Kyiv"), (55.75, 37.62, "Europe/Moscow"), (56.84, 60.61, "Asia/Yekaterinburg"),
        (43.12, 131.89, "Asia/Vladivostok"), (54.71, 20.51, "Europe/Kaliningrad"), (41.72, 44.79, "Asia/Tbilisi"),
        (43.24, 76.89, "Asia/Almaty"), (41.30, 69.24, "Asia/Tashkent"), (35.69, 51.39, "Asia/Tehran"),
        (25.07, 55.17, "Asia/Dubai"), (24.71, 46.68, "Asia/Riyadh"), (33.34, 44.40, "Asia/Baghdad"),
        (34.53, 69.17, "Asia/Kabul"), (33.68, 73.05, "Asia/Karachi"), (19.08, 72.88, "Asia/Kolkata"),
        (27.72, 85.32, "Asia/Kathmandu"), (23.81, 90.41, "Asia/Dhaka"), (16.87, 96.20, "Asia/Yangon"),
        (13.76, 100.50, "Asia/Bangkok"), (21.03, 105.85, "Asia/Bangkok"), (10.82, 106.63, "Asia/Ho_Chi_Minh"),
        (3.14, 101.69, "Asia/Kuala_Lumpur"), (-6.21, 106.85, "Asia/Jakarta"), (-8.65, 115.22, "Asia/Makassar"),
        (14.60, 120.98, "Asia/Manila"), (39.90, 116.41, "Asia/Shanghai"), (25.03, 121.57, "Asia/Taipei"),
        (37.57, 126.98, "Asia/Seoul"), (35.68, 139.69, "Asia/Tokyo"), (47.92, 106.92, "Asia/Ulaanbaatar"),
        (-33.87, 151.21, "Australia/Sydney"), (-27.47, 153.03, "Australia/Brisbane"),
        (-34.93, 138.60, "Australia/Adelaide"), (-31.95, 115.86, "Australia/Perth"),
        (-12.46, 130.84, "Australia/Darwin"), (-42.88, 147.33, "Australia/Hobart"),
        (-36.85, 174.76, "Pacific/Auckland"), (-18.12, 178.45, "Pacific/Fiji"),
        (-16.78, 179.97, "Pacific/Fiji"), (-13.83, -171.77, "Pacific/Apia"), (21.31, -157.86, "Pacific/Honolulu"),
        (61.22, -149.90, "America/Anchorage"), (34.05, -118.24, "America/Los_Angeles"),
        (33.45, -112.07, "America/Phoenix"), (39.74, -104.99, "America/Denver"), (41.88, -87.63, "America/Chicago"),
        (40.71, -74.01, "America/New_York"), (43.65, -79.38, "America/Toronto"), (44.65, -63.58, "America/Halifax"),
        (47.56, -52.71, "America/St_Johns"), (19.43, -99.13, "America/Mexico_City"), (21.16, -86.85, "America/Cancun"),
        (14.63, -90.51, "America/Guatemala"), (9.93, -84.08, "America/Costa_Rica"), (8.98, -79.52, "America/Panama"),
        (23.11, -82.37, "America/Havana"), (4.71, -74.07, "America/Bogota"), (10.48, -66.90, "America/Caracas"),
        (-12.05, -77.04, "America/Lima"), (-16.50, -68.15, "America/La_Paz"), (-33.45, -70.67, "America/Santiago"),
        (-34.60, -58.45, "America/Argentina/Buenos_Aires"), (-34.90, -56.16, "America/Montevideo"),
        (-23.55, -46.63, "America/Sao_Paulo"), (-3.12, -60.02, "America/Manaus"), (64.18, -51.72, "America/Nuuk"),
        (30.04, 31.24, "Africa/Cairo"), (33.57, -7.59, "Africa/Casablanca"), (36.75, 3.06, "Africa/Algiers"),
        (6.52, 3.38, "Africa/Lagos"), (5.60, -0.19, "Africa/Accra"), (14.72, -17.44, "Africa/Dakar"),
        (-1.29, 36.82, "Africa/Nairobi"), (9.02, 38.75, "Africa/Addis_Ababa"), (-26.20, 28.05, "Africa/Johannesburg"),
        (-18.88, 47.51, "Indian/Antananarivo"), (-22.56, 17.08, "Africa/Windhoek"),
    ]

    @Test("an approximate location in these places is enough", arguments: places) func knowsPlaces(
        latitude: Double, longitude: Double, zone: String
    ) throws {
        #expect(try verdict(latitude, longitude, 9000) == .zone(zone))
    }

    @Test("near a border an approximate location decides nothing, and an exact one does")
    func keepsAtBorders() throws {
        // Frankfurt (Oder), 2 km from Poland, and Lloydminster, on the border of two provinces.
        #expect(try verdict(52.342, 14.520, 9000) == .border(["Europe/Berlin", "Europe/Warsaw"]))
        #expect(try verdict(52.342, 14.500, 20) == .zone("Europe/Berlin"))
        // Eucla keeps a time of its own; Ürümqi has two times, and so has Ramallah.
        #expect(try verdict(-31.68, 128.88, 20) == .zone("Australia/Eucla"))
        #expect(try verdict(43.83, 87.62, 20) == .border(["Asia/Shanghai", "Asia/Urumqi"]))
        #expect(try verdict(31.90, 35.20, 20) == .border(["Asia/Hebron", "Asia/Jerusalem"]))
    }

    @Test(
        "the open sea, Antarctica and the poles are in no zone",
        arguments: [
            (0, -30), (50, -40), (-40, 90), (30, -150), (54.5, 4), (-77.85, 166.67), (-90, 0), (90, 0), (0, 180),
            (0, -180),
        ] as [(Double, Double)])
    func leavesTheSeaOut(latitude: Double, longitude: Double) throws {
        #expect(try verdict(latitude, longitude, 100) == .unassigned)
    }

    @Test("tzdata of this machine knows the zones, but for new ones") func agreesWithTZData() throws {
        let (world, database) = (try world.get(), TimeZoneDatabase())
        let unknown = world.names.filter { !database.knows($0) }
        #expect(world.names.count > 380)
        #expect(unknown.count < 4, "\(unknown)")
    }
}
