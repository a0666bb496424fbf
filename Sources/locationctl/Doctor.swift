import ArgumentParser
import LocationClient
import LocationInterface

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at everything between the receiver and this program, and say what to mend.",
        discussion: "Ends with 78 when there is something to mend.")

    @OptionGroup var service: ServiceOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let findings = await Examination(socketPath: service.socket).findings()
        try output.say(findings) { findings.flatMap(\.lines) }
        guard findings.allSatisfy({ $0.remedy == nil }) else { throw Exit.configuration }
    }
}

/// One thing that was looked at: what was found and, if that is not well, what to do.
struct Finding: Encodable {
    var found: String
    var remedy: String?

    var lines: [String] {
        guard let remedy else { return ["ok       \(found)"] }
        return ["problem  \(found)"] + remedy.split(separator: "\n").map { "         \($0)" }
    }
}

/// Looks from the receiver to the client.
struct Examination {
    var socketPath: String?

    func findings() async -> [Finding] {
        [gpsdPort] + (await serviceFindings()) + [await ownAuthorization()]
    }

    /// Whether gpsd answers everybody: then nothing that locationd decides protects anybody.
    private var gpsdPort: Finding {
        let open = ["127.0.0.1", "::1"].filter { LoopbackPort.isOpen(port: 2947, address: $0) }
        guard !open.isEmpty else { return Finding(found: "gpsd's port 2947 is not open to every local user") }
        return Finding(
            found: "every local user can ask gpsd where you are: port 2947 is open on \(open.joined(separator: ", "))",
            remedy: """
                Put gpsd behind a Unix socket that only locationd's user may open. Write this to
                /etc/systemd/system/gpsd.socket.d/locationd.conf:
                  [Socket]
                  ListenStream=
                  ListenStream=/run/gpsd.sock
                  ListenStream=/run/gpsd-client.sock
                  SocketUser=locationd
                  SocketMode=0600
                set Socket = /run/gpsd-client.sock under GPSD in /etc/locationd/locationd.plist, and then run
                  systemctl daemon-reload && systemctl stop gpsd.service && systemctl restart gpsd.socket locationd
                """)
    }

    private func serviceFindings() async -> [Finding] {
        let manager = LocationServiceManager(socketPath: socketPath)
        let status: ManagerInterface.GetServiceStatus.Reply
        do {
            status = try await manager.status()
        } catch {
            return [
                Finding(
                    found: "locationd does not answer at \(manager.socketPath): \(error)",
                    remedy: "Start it: systemctl start locationd.socket, or give --socket PATH.")
            ]
        }
        return [Finding(found: "locationd \(status.version) answers at \(manager.socketPath)")]
            + status.problems.map { Finding(found: "refused: \($0.sentence)", remedy: "Mend it and reload locationd.") }
            + sourceFindings(status)
    }

    private func sourceFindings(_ status: ManagerInterface.GetServiceStatus.Reply) -> [Finding] {
        let source = status.source
        if let problem = source.problem, source.state != .connected {
            return [
                Finding(
                    found: "\(source.name): \(problem)",
                    remedy: "See that gpsd is installed and running (systemctl status gpsd.socket), and that GPSD in "
                        + "/etc/locationd/locationd.plist says where it listens.")
            ]
        }
        if source.state == .idle, source.receivers.isEmpty {
            return [Finding(found: "\(source.name): not asked, since nobody needs a location now")]
        }
        guard !source.receivers.isEmpty else {
            return [
                Finding(
                    found: "\(source.name): no receiver",
                    remedy: "Plug one in, or name it in DEVICES in /etc/default/gpsd and restart gpsd.")
            ]
        }
        return source.receivers.map { receiver in
            let device = receiver.device ?? "the receiver"
            switch receiver.mode {
            case .fix2D, .fix3D:
                return Finding(found: "\(device) has a fix")
            case .unknown, .noFix:
                guard source.state == .connected else { return Finding(found: "\(device) is not in use now") }
                let seen = receiver.satellitesSeen.map { "it sees \($0) satellites" } ?? "it sees no satellites"
                return Finding(
                    found: "\(device) has no fix: \(seen)",
                    remedy: "Give its antenna a view of the sky; a cold start takes some minutes.")
            }
        }
    }

    private func ownAuthorization() async -> Finding {
        do {
            let status = try await LocationManager(socketPath: socketPath).authorizationStatus
            switch status {
            case .authorizedAlways, .authorizedWhenInUse, .notDetermined:
                return Finding(found: "locationctl itself is \(status.rawValue)")
            case .denied, .restricted:
                return Finding(
                    found: "locationctl itself is \(status.rawValue)",
                    remedy: "locationctl get and watch will not work; other programs may.")
            }
        } catch {
            return Finding(found: "locationctl itself: \(error)", remedy: "Without that, get and watch do not work.")
        }
    }
}
