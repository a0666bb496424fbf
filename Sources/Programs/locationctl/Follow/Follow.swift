import CommandLineSupport
public import ArgumentParser
import FoundationEssentials
public import LocationClient
import LocationModel
import LocationTracks

struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show your location live in the terminal.",
        discussion: """
            Shows a map of your trail, drawn to scale, with position, accuracy, speed, course and satellites. Between \
            two fixes of the receiver the position is predicted. Without a terminal it prints lines instead, one a second.

            Keys:
              f        follow you north up, heading up (with a compass), or stay
              arrows   move the map, which then stays in place
              + -      zoom in or out; 0 chooses the zoom from your speed
              c n      course up, north up
              r        record into a new file in this directory, or stop
              ?        show or hide the keys
              q        quit
            """)

    @OptionGroup var service: ServiceOptions

    @Option(
        help: ArgumentHelp(
            "Frames a second, 1 to 60. (default: 10 in the live view, otherwise 1)", valueName: "number"))
    var rate: Int?

    @Option(help: ArgumentHelp("End after this number of frames.", valueName: "number"))
    var count: Int?

    @Option(
        help: ArgumentHelp(
            "The initial tracking mode of the map.",
            valueName: "mode"))
    var mode = UserTracking.Mode.follow

    @OptionGroup var display: DisplayOptions
    @OptionGroup var time: ClockOptions

    @Option(help: ArgumentHelp("The output format: text, or json for one frame a line.", valueName: "format"))
    var format = PlainFormat.text

    @Option(
        help: ArgumentHelp("Record the fixes into a new track: .gpx or .geojson.", valueName: "file"),
        completion: .file(extensions: ["gpx", "geojson"]))
    var record: String?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes a number above 0.") }
        if let rate, !(1...60).contains(rate) { throw ValidationError("--rate takes 1 to 60 frames a second.") }
        if let record, TrackFormat(path: record) == nil {
            throw ValidationError("--record takes a file whose name ends with .gpx or .geojson.")
        }
    }

    func run() async throws {
        do {
            let recording = try record.map { path throws(TrackError) in try TrackRecording(creating: path) }
            let variables = ProcessInfo.processInfo.environment
            if format == .text, let terminal = FullScreen.ofStandardOutput({ variables[$0] }) {
                let view = FollowView(
                    socket: service.socket, rate: rate ?? 10, count: count, mode: mode, style: display.style(time),
                    terminal: terminal,
                    environment: { variables[$0] })
                if let recording { await view.record(into: recording) }
                try await show({ try await showUntilTheEnd(view) }, finish: { try await view.finishRecording() })
            } else {
                let lines = FollowLines(
                    socket: service.socket, rate: rate ?? 1, count: count, format: format, recording: recording,
                    style: display.style(time))
                try await show(lines.show) { try await recording?.finish() }
            }
        } catch let error as TrackError {
            Terminal.complain(error.description.shown(limit: 4096))
            throw Exit.failure
        }
    }

    /// Shows frames until the end or a signal, and then prints a sentence about the recording, which is kept up to an error.
    private func show(
        _ frames: () async throws -> Int32?, finish: () async throws -> String?
    ) async throws {
        let end: Result<Int32?, any Error>
        do {
            end = .success(try await frames())
        } catch {
            end = .failure(error)
        }
        if let sentence = try await finish() { Terminal.complain(sentence) }
        // Ends by the signal, so that the shell sees it.
        if let signal = try end.get() { SignalPipe.obey(signal) }
    }

    /// Shows the view, and leaves it while the user is asked, because prompts need the terminal in its usual mode.
    /// Returns the signal that ended it, if one did.
    private func showUntilTheEnd(_ view: FollowView) async throws -> Int32? {
        let manager = LocationManager(socketPath: service.socket)
        while true {
            if try await manager.authorizationStatus == .notDetermined {
                _ = try await promptingHere(service.socket) {
                    try await manager.requestWhenInUseAuthorization(waitsForAgent: true)
                }
            }
            let authorization = try await manager.authorization
            switch authorization.status {
            case .denied: throw refuse(authorization.cause?.message ?? LocationDiagnostic.authorizationDenied.sentence)
            case .restricted:
                throw refuse(authorization.cause?.message ?? LocationDiagnostic.authorizationRestricted.sentence)
            case .notDetermined, .authorizedWhenInUse, .authorizedAlways: break
            }
            switch try await view.show() {
            case .quit: return nil
            case .asking: continue
            case .refused(let sentence): throw refuse(sentence)
            case .signal(let number): return number
            }
        }
    }

    private func refuse(_ sentence: String) -> ExitCode {
        Terminal.complain(sentence.shown(limit: 4096))
        return Exit.denied
    }
}

extension UserTracking.Mode: ExpressibleByArgument {}
