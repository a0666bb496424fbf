@preconcurrency import Glibc
import LocationClient
import LocationConditions
import LocationInterface
import LocationModel
import Varlink

/// A program that wants to know where its user is, for the system tests.
///
/// `watch` prints a line for each location, and for what stands in the way; `always` asks for the location at any time and
/// prints what it may have then; `border LATITUDE LONGITUDE RADIUS` monitors a circle, or if it does so already, prints the next
/// event; `status` prints what it may have now; `lie CLIENT` says in every way there is that it is
/// that client, and prints what that gains it.
@main struct ExampleClient {
    static func main() async {
        setvbuf(stdout, nil, _IOLBF, 0)
        do {
            switch CommandLine.arguments.dropFirst().first {
            case "watch": try await watch()
            case "always": print("may know:", try await LocationManager().requestAlwaysAuthorization().status.rawValue)
            case "status": print("may know:", try await LocationManager().authorizationStatus.rawValue)
            case "border": try await border(CommandLine.arguments.dropFirst(2).compactMap(Double.init))
            case "lie": try await lie(as: CommandLine.arguments.last ?? "")
            default: print("watch, always, border LATITUDE LONGITUDE RADIUS, status or lie CLIENT")
            }
        } catch {
            print("refused:", error)
            exit(77)
        }
    }

    private static func watch() async throws {
        for try await update in LocationManager().liveUpdates() {
            if let location = update.location { print("location", location.coordinate.latitude) }
            if let diagnostic = update.diagnostic { print("diagnostic", diagnostic.rawValue) }
        }
    }

    /// Monitors a circle, assumed to be outside at first, or prints the next event about it.
    private static func border(_ numbers: [Double]) async throws {
        let monitor = LocationMonitor("tests")
        guard try await monitor.record(for: "border") != nil else {
            guard numbers.count == 3, let center = Coordinate(latitude: numbers[0], longitude: numbers[1]) else {
                throw Failure.noCircle
            }
            try await monitor.add(
                LocationMonitor.CircularGeographicCondition(center: center, radius: numbers[2]), identifier: "border",
                assuming: .unsatisfied)
            return print("added")
        }
        for try await event in monitor.events where event.diagnostic == nil && !event.serviceUnavailable {
            return print(event.identifier, event.state)
        }
    }

    /// What GeoClue believes, and what else a program can say about itself.
    private static func lie(as client: String) async throws {
        struct Claim: Encodable {
            var client: String
            var desktopID: String
            var CFBundleIdentifier: String
            var executable: String
        }
        let name = client.split(separator: ".").last.map(String.init)?.lowercased() ?? client
        try rename(to: name)
        let claim = Claim(
            client: client, desktopID: client, CFBundleIdentifier: client, executable: "/usr/local/bin/\(name)")
        let service = try await VarlinkClient.connect(to: "/run/locationd/org.locationd")
        do {
            let reply = try await service.call(
                LocationInterface.GetLocation.name, claim, returning: LocationInterface.GetLocation.Reply.self)
            print("location", reply.location.coordinate.latitude)
        } catch let error as VarlinkError {
            print("refused:", error.name)
        }
    }

    /// Sets what ps(1) calls this process.
    private static func rename(to name: String) throws {
        let file = open("/proc/self/comm", O_WRONLY)
        defer { close(file) }
        guard write(file, name, name.utf8.count) == name.utf8.count else { throw Failure.cannotRename }
    }

    private enum Failure: Error {
        case cannotRename
        case noCircle
    }
}
