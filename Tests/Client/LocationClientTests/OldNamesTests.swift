import FoundationEssentials
import LocationClient
import Testing

/// The types among the old names. It compiles only while each is declared: an unavailable declaration may name others.
@available(*, unavailable)
private func oldTypes() {
    _ = CLLocationManager.self
    _ = CLLocation.self
    _ = CLLocationCoordinate2D.self
    _ = CLHeading.self
    _ = CLVisit.self
    _ = CLLocationUpdate.self
    _ = CLMonitor.self
    _ = CLServiceSession.self
    _ = CLBackgroundActivitySession.self
    _ = CLError.self
    _ = CLAuthorizationStatus.self
    _ = CLAccuracyAuthorization.self
    _ = CLLocationSourceInformation.self
    _ = CLLocationDistance.self
    _ = CLLocationAccuracy.self
    _ = CLLocationSpeed.self
    _ = CLLocationDirection.self
    _ = CLLocationDegrees.self
    _ = CircularRegion.self
    _ = CLCircularRegion.self
    _ = BeaconRegion.self
    _ = CLBeaconRegion.self
    _ = Geocoder.self
    _ = CLGeocoder.self
    _ = CLCircularRegion(center: nil, radius: 1, identifier: "")
    _ = CircularRegion(center: nil, radius: 1, identifier: "")
    _ = CLBeaconRegion(uuid: 1, identifier: "")
    _ = CLGeocoder()
    _ = Geocoder()
    _ = Placemark.self
    _ = CLPlacemark.self
    _ = CLBeacon.self
    _ = CLBeaconIdentityConstraint(uuid: 1)
    _ = CLFloor.self
    _ = CLRegionState.self
    _ = RegionState.self
    _ = CLActivityType.automotiveNavigation
    _ = ActivityType.fitness
    _ = CLDeviceOrientation.self
    _ = CLMonitoringEvent.self
    _ = CLMonitoringRecord.self
    _ = CLCircularGeographicCondition.self
    _ = LocationMonitor.BeaconIdentityCondition(uuid: 1)
    _ = (any LocationManagerDelegate).self
    _ = (any CLLocationManagerDelegate).self
}

/// The names of Core Location that programmers type first, for which the compiler's message says the name here.
@Suite("Old names")
struct OldNamesTests {
    private static let values = [
        "kCLLocationAccuracyBest", "kCLLocationAccuracyBestForNavigation", "kCLLocationAccuracyNearestTenMeters",
        "kCLLocationAccuracyHundredMeters", "kCLLocationAccuracyKilometer", "kCLLocationAccuracyThreeKilometers",
        "kCLDistanceFilterNone", "kCLHeadingFilterNone", "kCLLocationCoordinate2DInvalid",
        "CLLocationCoordinate2DMake", "CLLocationCoordinate2DIsValid", "delegate", "startUpdatingLocation",
        "stopUpdatingLocation", "startUpdatingHeading", "stopUpdatingHeading", "headingAvailable", "heading",
        "startMonitoringSignificantLocationChanges", "stopMonitoringSignificantLocationChanges",
        "startMonitoringVisits", "startMonitoring", "stopMonitoring", "requestState", "monitoredRegions",
        "locationServicesEnabled", "authorizationStatus", "requestTemporaryFullAccuracyAuthorization",
        "allowsBackgroundLocationUpdates", "showsBackgroundLocationIndicator", "activityType", "isStationary",
        "magneticHeading", "kCLLocationAccuracyReduced", "isMonitoringAvailable", "maximumRegionMonitoringDistance",
        "significantLocationChangeMonitoringAvailable", "isRangingAvailable", "allowDeferredLocationUpdates",
        "headingOrientation", "floor",
    ]

    @Test(
        "each constant, function and property of Core Location with another name here is unavailable under the old one")
    func values() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(
            contentsOf: root.appending(path: "Sources/Client/LocationClient/OldNames.names"), encoding: .utf8)
        let lines = source.split(separator: "\n").map { $0.drop { $0 == " " } }
        for name in Self.values {
            let isDeclared = lines.contains { line in
                ["var \(name):", "func \(name)(", "static func \(name)("].contains { line.hasPrefix($0) }
            }
            #expect(isDeclared, "\(name)")
        }
    }
}
