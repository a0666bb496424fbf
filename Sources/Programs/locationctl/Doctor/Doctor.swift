import CommandLineSupport
import ArgumentParser
import Glibc
import LocationDiagnosis

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find out why there is no location: check everything from the antenna to locationctl.",
        discussion: """
            Exits with 78 if it finds a problem. --fix closes the three ways in which every local user can get gpsd's fixes: its \
            port, its shared memory and its signals on the system bus. It first shows the files to write and the commands to \
            run, and asks. --undo undoes this, and so does removing the package. If other programs need one of them, use --accept \
            with gpsd.port, gpsd.sharedMemory or gpsd.bus. The identifiers of all findings are in the manual page and in the \
            output of --format json.
            """)

    @OptionGroup var service: ServiceOptions

    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "The property list of the service, if it is not the system's.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(help: "Let only locationd have what gpsd knows (only as root).")
    var fix = false

    @Flag(help: "Undo --fix (only as root).")
    var undo = false

    @Flag(help: "Do the steps of --fix or --undo without asking.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "Accept a finding, by its identifier in JSON: it is no longer a problem.", valueName: "finding"),
        completion: .list(Topic.allCases.map(\.rawValue)), transform: Acceptance.topic)
    var accept: Topic?

    @Option(
        help: ArgumentHelp("Undo --accept.", valueName: "finding"), completion: .list(Topic.allCases.map(\.rawValue)),
        transform: Acceptance.topic)
    var unaccept: Topic?

    func validate() throws {
        guard [fix, undo, accept != nil, unaccept != nil].count(where: \.self) < 2 || (fix && undo) else {
            throw ValidationError("--fix, --undo, --accept and --unaccept cannot be combined.")
        }
        if fix && undo { throw ValidationError("--fix and --undo cannot be combined.") }
        if yes && !fix && !undo {
            throw ValidationError("--yes agrees to the steps of --fix or --undo: give one of them.")
        }
    }

    func run() async throws {
        let diagnosis = Diagnosis(socketPath: service.socket, configurationFile: config)
        if undo {
            guard try undoPort(diagnosis) else { throw Exit.failure }
            return
        }
        let isDone = fix ? try await fix(diagnosis) : true
        var findings = await diagnosis.findings()
        if let accept { try Acceptance.accept(accept, among: findings) }
        if let unaccept { try Acceptance.unaccept(unaccept) }
        let acceptances = UserSettings.read().acceptances
        findings = findings.map { $0.accepted(by: acceptances) }
        try output.say(findings) { DiagnosisReport.lines(findings).hanging(11) }
        guard findings.allSatisfy({ $0.severity != .problem }) else { throw Exit.configuration }
        guard isDone else { throw Exit.failure }
    }

    /// Shows the steps of each fix and performs them if the user agrees. Returns false, after a message, if steps are left.
    private func fix(_ diagnosis: Diagnosis) async throws -> Bool {
        try require(diagnosis, "--fix")
        let isNameFree = GeoClueSwitch.isOn && !GeoClueSwitch.isAdvised
        var isDone = true
        if isNameFree {
            Terminal.complain([
                "This machine has no source of locations: programs that ask GeoClue will ask GeoClue again.",
                "run locationctl geoclue off",
            ])
            isDone = isAgreed()
            if isDone { try await GeoClueSwitch.turn(on: false, output) }
        }
        return try fixPort(diagnosis, isAlone: !isNameFree) && isDone
    }

    private func fixPort(_ diagnosis: Diagnosis, isAlone: Bool) throws -> Bool {
        do {
            guard let portFix = try diagnosis.portFix() else {
                if isAlone { Terminal.complain("There is nothing that --fix could change.") }
                return true
            }
            Terminal.complain(portFix.description)
            guard isAgreed() else { return false }
            try portFix.perform()
            Terminal.complain("Done. To undo it, run: sudo locationctl doctor --undo")
            return true
        } catch let refusal as PortFix.Refusal {
            Terminal.complain("Nothing was changed. \(refusal)")
            return false
        } catch let failure as PortFix.Failure {
            return complain(failure)
        }
    }

    /// Undoes what ``fix(_:)`` did to gpsd if the user agrees. Returns false, after a message, if something is left.
    private func undoPort(_ diagnosis: Diagnosis) throws -> Bool {
        try require(diagnosis, "--undo")
        guard let steps = diagnosis.portUndo() else {
            Terminal.complain("There is nothing that --undo could undo.")
            return true
        }
        guard !steps.removals.isEmpty else {
            Terminal.complain(steps.notes)
            return false
        }
        Terminal.complain(steps.description)
        guard isAgreed() else { return false }
        do throws(PortFix.Failure) {
            try steps.perform()
        } catch {
            return complain(error)
        }
        Terminal.complain("Done.")
        return steps.kept.isEmpty
    }

    /// Requires root and the system's service.
    private func require(_ diagnosis: Diagnosis, _ option: String) throws {
        guard diagnosis.isSystem else {
            Terminal.complain("\(option) works on the system's service: omit --socket, $LOCATIOND_SOCKET and --config.")
            throw Exit.failure
        }
        guard geteuid() == 0 else {
            Terminal.complain(
                "\(option) changes files in /etc and restarts units, which only root may do. To fix it, run: sudo locationctl doctor "
                    + option
            )
            throw Exit.denied
        }
    }

    private func complain(_ failure: PortFix.Failure) -> Bool {
        Terminal.complain("Not all steps were done. \(failure)".split(separator: "\n").map(String.init))
        return false
    }

    private func isAgreed() -> Bool {
        if yes { return true }
        guard isatty(STDIN_FILENO) != 0 else {
            Terminal.complain(
                "Nothing was changed, because there is no terminal to ask at. In a script, add --yes."
            )
            return false
        }
        Terminal.complain("Do this? Type y and press Return. Any other answer means no.")
        guard ["y", "Y", "yes"].contains(readLine()) else {
            Terminal.complain("Nothing was changed.")
            return false
        }
        return true
    }
}
