import FoundationEssentials
import Glibc
import LocationInterface
import LocationServiceManagement
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

    /// The service's property list, if it is not the system's.
    private let configuration: String?

    package init(locationctl: String?, sharing: String?, socket: String, configuration: String?) {
        (self.locationctl, self.sharing, self.socket) = (locationctl, sharing, socket)
        self.configuration = configuration
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

    /// The size limit of a question with a track in bytes.
    static let longestTrack = 32 << 20

    /// Adds a place at a position as people type it, in place of one of its name. Blocks the thread.
    func add(_ place: WirePlaceChange.Place) throws(Failure) {
        try say(
            [
                try program(), "places", "add", "--replace", "--radius", "\(place.radius)", "--socket", socket, "--",
                place.name,
            ] + place.position.split(separator: " ").map(String.init), "places add")
    }

    /// Returns what each program would have received of a track by the user's rules and by one more, as a JSON
    /// array. Blocks the thread.
    func trial(_ trial: WireTrial, _ own: WireRules) throws(Failure) -> String {
        // A directory that no other user can read.
        var name = Array("\(FileManager.default.temporaryDirectory.path())/locationctl-privacy.XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else {
            throw Failure(sentence: "The track cannot be kept while it is played: \(Errno()).")
        }
        let directory = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // The kind of a track shows in the end of its name.
        let ending =
            trial.name.split(separator: ".").last.map { $0.filter { $0.isASCII && $0.isLetter }.prefix(8) } ?? ""
        let file = "\(directory)/track.\(ending)"
        do {
            try Data(trial.track.utf8).write(to: URL(filePath: file))
        } catch {
            throw Failure(sentence: "The track cannot be kept while it is played: \(error)")
        }
        var command = [try program(), "rules", "try", "--track", file, "--socket", socket]
        var rules = [trial.rule].compactMap(\.self)
        if let configuration {
            // The command takes those of the service with the system's configuration alone.
            command += ["--config", configuration]
            command += own.places.flatMap { ["--place", "\($0.name)=\($0.latitude),\($0.longitude),\($0.radius)"] }
            rules += own.rules.filter { Int($0.id) != nil }.map(\.definition)
        }
        command += rules.flatMap { ["--rule", $0.options.joined(separator: " ")] }
        do throws(Failure) {
            return try run(command + ["--format", "json"], "rules try")
        } catch {
            // Again, for its output.
            try say(command, "rules try")
            throw error
        }
    }

    private func program() throws(Failure) -> String {
        guard let locationctl else { throw Failure(sentence: "The program locationctl is not installed.") }
        return locationctl
    }

    private func run(_ arguments: [String], _ name: String) throws(Failure) -> String {
        let result = try launch(arguments, name)
        // 78: doctor has found a problem, which is its report.
        guard [0, 78].contains(result.code) else { throw Self.failure(name) }
        return result.output
    }

    /// Runs a command, and throws its output if it fails.
    private func say(_ arguments: [String], _ name: String) throws(Failure) {
        let result = try launch(arguments, name, includingErrors: true)
        guard result.code != 0 else { return }
        let words = result.output.split(separator: "\n").first.map(String.init) ?? ""
        throw Failure(sentence: words.hasPrefix("Error: ") ? String(words.dropFirst(7)) : words)
    }

    private func launch(
        _ arguments: [String], _ name: String, includingErrors: Bool = false
    ) throws(Failure) -> ProgramLaunch.Result {
        do throws(Errno) {
            return try ProgramLaunch(arguments).run(includingErrors: includingErrors, time: Self.patience)
        } catch {
            throw Self.failure(name)
        }
    }

    private static func failure(_ name: String) -> Failure {
        Failure(sentence: "The report could not be made. To see why, run: locationctl \(name)")
    }
}

extension LocationServiceManager.RuleDefinition {
    /// The rule as the options of `locationctl rules add`.
    var options: [String] {
        var options: [String] = []
        func add(_ name: String, _ value: String?) {
            if let value { options += [name, value] }
        }
        func add(_ name: String, if flag: Bool?) {
            if flag == true { options.append(name) }
        }
        add("--hours", hours)
        add("--days", days?.map { $0.prefix(3).lowercased() }.joined(separator: ","))
        add("--inside", inside)
        add("--outside", outside)
        add("--on-battery", if: onBattery)
        add("--locked", if: sessionLocked)
        add("--nobody-present", if: nobodyPresent)
        add("--deny", if: deny)
        add("--while-in-use", if: whileInUse)
        add("--reduced", if: reducedAccuracy)
        add("--every", minimumInterval.map(String.init))
        for client in exceptions ?? [] { add("--except", client) }
        for client in clients ?? [] { add("--client", client) }
        return options
    }
}

/// A value that is JSON, whatever it is.
private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}
