import FoundationEssentials
import Glibc
import POSIXSupport

/// A report of another command.
package enum PageReport: String, Codable, Hashable, Sendable {
    /// The user's shares.
    case shares
    /// The sources of locations, and what each needs.
    case sources
    /// The findings of `locationctl doctor`.
    case doctor
}

/// The commands whose reports the page shows, run as its user.
package struct PageCommands: Sendable {
    /// The failure of a command.
    struct Failure: Error {
        /// A sentence for people.
        let sentence: String
    }

    /// The path of locationctl; `nil` if it is not there.
    private let locationctl: String?
    /// The path of the program that sends the position; `nil` if it is not installed.
    private let sharing: String?
    private let socket: String
    private static let patience = Duration.seconds(60)

    package init(locationctl: String?, sharing: String?, socket: String) {
        (self.locationctl, self.sharing, self.socket) = (locationctl, sharing, socket)
    }

    /// Returns a report as a JSON array. Blocks the thread.
    func report(_ report: PageReport) throws(Failure) -> String {
        let output: String
        switch report {
        // Without the package there are none.
        case .shares:
            guard let sharing else { return "[]" }
            output = try run([sharing, "status", "--socket", socket, "--format", "json"], "share status")
        case .sources:
            output = try run([try program(), "sources", "list", "--socket", socket, "--format", "json"], "sources")
        case .doctor:
            output = try run([try program(), "doctor", "--socket", socket, "--format", "json"], "doctor")
        }
        guard (try? JSONDecoder().decode([Anything].self, from: Data(output.utf8))) != nil else {
            throw Self.failure(report == .shares ? "share status" : report.rawValue)
        }
        return output
    }

    /// Stops a share. Blocks the thread.
    func stop(_ share: String) throws(Failure) {
        guard let sharing else { return }
        // A name is no option.
        _ = try run([sharing, "stop", "--", share], "share stop")
    }

    private func program() throws(Failure) -> String {
        guard let locationctl else { throw Failure(sentence: "The program locationctl is not installed.") }
        return locationctl
    }

    private func run(_ arguments: [String], _ name: String) throws(Failure) -> String {
        do throws(Errno) {
            let result = try ProgramLaunch(arguments, descriptors: [:]).run(time: Self.patience)
            // 78: doctor has found a problem, which is its report.
            guard [0, 78].contains(result.code) else { throw Errno(EIO) }
            return result.output
        } catch {
            throw Self.failure(name)
        }
    }

    private static func failure(_ name: String) -> Failure {
        Failure(sentence: "The report could not be made. To see why, run: locationctl \(name)")
    }
}

/// A value that is JSON, whatever it is.
private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}
