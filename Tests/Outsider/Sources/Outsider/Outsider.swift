import Glibc
import LocationClient

/// A program as somebody outside this project writes it: it imports the library and nothing else of the project.
///
/// What it is called with says what it prints, one line for each thing that it hears, until it is ended.
@main
struct Outsider {
    static func main() async {
        do {
            try await run(CommandLine.arguments.dropFirst().first ?? "")
        } catch let error as LocationError {
            say("error: \(error)")
        } catch {
            say("not an error of the library: \(error)")
        }
    }

    private static func run(_ command: String) async throws {
        switch command {
        case "live": try await live()
        case "headings": try await headings()
        case "authorization": try await authorization()
        case "session": try await session(ServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "walk"))
        case "session-always": try await session(ServiceSession(authorization: .always))
        case "accuracies": try await accuracies()
        case "enabled": say("enabled: \(try await LocationManager().locationServicesEnabled)")
        default: say("live, headings, authorization, session, session-always, accuracies or enabled")
        }
    }

    /// Output that a pipe's reader sees now.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    private static func live() async throws {
        for try await update in LocationManager().liveUpdates() {
            let diagnostic: LocationDiagnostic? = update.diagnostic
            let cause: LocationCause? = update.cause
            let location: Location? = update.location
            if let location { say("latitude \(location.coordinate.latitude)") }
            if let diagnostic { say("\(diagnostic)\(cause.map { ": \($0.reason)" } ?? "")") }
            if update.authorizationDeniedGlobally { say("denied globally") }
        }
    }

    private static func headings() async throws {
        for try await update in LocationManager().headingUpdates() {
            if let heading: Heading = update.heading { say("heading \(heading.trueHeading)") }
            if let location = update.location { say("unexpected location \(location)") }
        }
    }

    private static func authorization() async throws {
        for try await authorization: LocationAuthorization in LocationManager().authorizationUpdates() {
            let (status, accuracy): (AuthorizationStatus, AccuracyAuthorization) = (
                authorization.status, authorization.accuracy
            )
            say("\(status) \(accuracy)")
        }
    }

    private static func session(_ session: ServiceSession) async throws {
        for try await diagnostic: ServiceSession.Diagnostic in session.diagnostics {
            let claims: [(String, Bool)] = [
                ("request in progress", diagnostic.authorizationRequestInProgress),
                ("denied", diagnostic.authorizationDenied),
                ("denied globally", diagnostic.authorizationDeniedGlobally),
                ("restricted", diagnostic.authorizationRestricted),
                ("always denied", diagnostic.alwaysAuthorizationDenied),
                ("full accuracy denied", diagnostic.fullAccuracyDenied),
                ("unanswered", diagnostic.unanswered != nil),
            ]
            say("\(diagnostic.authorization.status): " + claims.filter(\.1).map(\.0).joined(separator: ", "))
        }
    }

    /// One location for each constant.
    private static func accuracies() async throws {
        let constants: [LocationAccuracy] = [
            .best, .nearestTenMeters, .hundredMeters, .kilometer, .threeKilometers,
        ]
        for accuracy in constants {
            var manager = LocationManager()
            manager.desiredAccuracy = accuracy
            let location = try await manager.requestLocation()
            say("\(accuracy.meters ?? 0): \(location.horizontalAccuracy ?? .infinity)")
        }
    }
}
