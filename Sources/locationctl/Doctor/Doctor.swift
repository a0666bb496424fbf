import CommandSupport
import ArgumentParser
import Glibc
import LocationDiagnosis

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at everything between the antenna and this program, and say what to mend.",
        discussion: """
            Ends with 78 when there is something to mend. With --fix it closes gpsd's port, at which every local user can \
            ask where this machine is: it shows what it will write and run, and asks.
            """)

    @OptionGroup var service: ServiceOptions

    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "The service's property list, where it is not the system's service.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(help: "Put gpsd behind a Unix socket that only locationd may open; for root.")
    var fix = false

    @Flag(help: "Do what --fix shows without asking.")
    var yes = false

    func validate() throws {
        if yes && !fix { throw ValidationError("--yes agrees to what --fix shows: give both.") }
    }

    func run() async throws {
        let examination = Examination(socketPath: service.socket, configurationFile: config)
        let isMended = fix ? try mend(examination) : true
        let findings = await examination.findings()
        try output.say(findings) { DiagnosisReport.lines(findings) }
        guard findings.allSatisfy({ $0.severity != .problem }) else { throw Exit.configuration }
        guard isMended else { throw Exit.failure }
    }

    /// Shows what is to be done and, if that is agreed to, does it. False when something is left to do, which is said.
    private func mend(_ examination: Examination) throws -> Bool {
        guard examination.isSystem else {
            Terminal.complain(
                "--fix is about the system's service: leave --socket, $LOCATIOND_SOCKET and --config away.")
            throw Exit.failure
        }
        guard geteuid() == 0 else {
            Terminal.complain(
                "--fix writes below /etc and restarts units, which only root may: sudo locationctl doctor --fix")
            throw Exit.denied
        }
        do {
            guard let mending = try examination.portMending() else {
                Terminal.complain("There is nothing that --fix could mend.")
                return true
            }
            Terminal.complain(mending.description)
            guard isAgreed() else { return false }
            try mending.perform()
            Terminal.complain(["Done. To undo it:"] + mending.undoing.map { "    \($0)" })
            return true
        } catch let refusal as PortMending.Refusal {
            Terminal.complain("Nothing was changed. \(refusal)")
            return false
        } catch let failure as PortMending.Failure {
            Terminal.complain("Not all of it was done. \(failure)".split(separator: "\n").map(String.init))
            return false
        }
    }

    private func isAgreed() -> Bool {
        if yes { return true }
        guard isatty(STDIN_FILENO) != 0 else {
            Terminal.complain("Nothing was changed: there is no terminal to ask at. To agree in a script: --fix --yes")
            return false
        }
        Terminal.complain("Do this? Type y and press Return; anything else is no.")
        guard ["y", "Y", "yes"].contains(readLine()) else {
            Terminal.complain("Nothing was changed.")
            return false
        }
        return true
    }
}
