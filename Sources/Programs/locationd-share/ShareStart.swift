public import ArgumentParser
import CommandLineSupport
import Glibc
import LocationClient
import LocationInterface
public import LocationModel
import LocationSharing
import SharingProgram

struct ShareStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Share your position with a service from now on, for 24 hours unless you say otherwise.",
        discussion: """
            The end is a fixed time: neither a restart nor a suspended machine prolongs a share. At the end the service is \
            told to forget your position, if it can. A share that runs gets the new end.
            """)

    @OptionGroup var service: ServiceOptions
    @OptionGroup var owner: ShareOwner

    @Argument(help: ArgumentHelp("The destination, of share add.", valueName: "name"))
    var name: String

    @Option(
        name: .customLong("for"), help: ArgumentHelp("Its length, such as 90m or 2h; at most 24h.", valueName: "time"))
    var length: String?

    @Option(help: ArgumentHelp("Its end, today or tomorrow, such as 18:00.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp(
            "Until you arrive at this place, of locationctl places; at that time at the latest.", valueName: "place"))
    var untilArrival: String?

    @Flag(help: "Until you stop it.")
    var indefinitely = false

    @Option(
        help: ArgumentHelp("The accuracy of what is sent: full, or reduced for about 5 km.", valueName: "accuracy"))
    var accuracy = AccuracyAuthorization.full

    @Option(
        help: ArgumentHelp(
            "Leave out fixes that are this close to where speed and course of the last one lead: 1 to 1000 m (default: 10).",
            valueName: "metres"))
    var maximumError: Double?

    @Option(
        help: ArgumentHelp(
            "Send a fix after this time in any case, such as 5m; at most 1h (default: 60s).", valueName: "time"))
    var maximumInterval: String?

    @Flag(help: "Keep positions that cannot be sent now on disk, and send them later, until the share ends.")
    var keepUnsent = false

    @Flag(help: "Do not start the unit: locationctl share run sends.")
    var noService = false

    func validate() throws {
        guard [length != nil, until != nil, indefinitely].filter(\.self).count < 2 else {
            throw ValidationError("Give one of --for, --until and --indefinitely.")
        }
        guard maximumError.map((1...1000).contains) ?? true else {
            throw ValidationError("--maximum-error takes 1 to 1000 metres.")
        }
    }

    func run() async throws {
        let directory = try owner.directory
        let destinations = try directory.destinations()
        let destination = destinations[try destinations.index(of: name, owner)]
        let thinning = try thinning(for: destination)
        let arrival = try arrival()
        if keepUnsent { try checkQueue(of: destination) }
        let now = Timestamp.now()
        let end = try end(after: now)
        try await SharingAuthorization.request(service.socket, owner)
        if let endpoint = destination.endpoint { Terminal.say(BridgeWords.warning(of: endpoint)) }
        try directory.change { destinations in
            let index = try destinations.index(of: name, owner)
            var share = Share(started: now, until: end, accuracy: accuracy, thinning: thinning)
            share.arrival = arrival
            if keepUnsent { share.queue = try directory.queue(of: destinations[index], startedAt: now) }
            if share.queue != destinations[index].share?.queue { try directory.removeQueue(of: name) }
            destinations[index].share = share
        }
        if !noService { try owner.unit.restart() }
        Terminal.say(try lines(destination, end))
    }

    private func lines(_ destination: Destination, _ end: Timestamp?) throws -> [String] {
        let term = ShareClock.ending(end, at: untilArrival) + (end == nil ? " (\(owner.command("stop \(name)")))" : "")
        let what = accuracy == .full ? "Your position" : "Your approximate position (about 5 km)"
        var lines = ["\(what) is shared with \(destination.recipient) \(term)."]
        if let endpoint = destination.endpoint { lines.append(try BridgeWords.readers(of: endpoint)) }
        if let name = destination.shownName {
            lines.append("There it is \(name). Who can see it there is decided there, and not known here.")
        }
        if destination.service.keepsLastPosition {
            lines.append(
                "\(destination.service.name) keeps the positions that it has received, and shows the last one after the end. "
                    + (keepUnsent
                        ? "Positions that cannot be sent at their time are kept on disk, for a week at most, and deleted at the end "
                            + "of the share."
                        : "Positions that cannot be sent at their time are left out; --keep-unsent keeps them."))
        }
        if destination.service == .mqtt { lines += brokerLines(end) }
        if destination.discoveryPrefix != nil {
            lines.append(
                "Home Assistant removes the device when this machine tells it of the end, and shows the last position until then."
            )
        }
        if accuracy == .reduced, destination.service == .homeassistant {
            lines.append("\(destination.service.name) then shows you as at home anywhere within about 5 km of home.")
        }
        if destination.isPlain {
            lines.append(
                "It is not encrypted on the way there. In another network, such as a café's, whoever has the address "
                    + "\(destination.origin) there gets your position and the \(destination.service == .mqtt ? "password" : "URL"): pause the share before you leave your own."
            )
        }
        if noService { lines.append("To send it, run: \(owner.command("run"))") }
        return lines
    }

    /// What a broker does with the position.
    private func brokerLines(_ end: Timestamp?) -> [String] {
        [
            "The broker keeps the newest position for readers who come later, and drops it at the end of the share"
                + (end == nil ? ", when this machine tells it to." : ", even if this machine cannot be reached then.")
                + " Readers keep what they have received.",
            keepUnsent
                ? "Positions that cannot be sent at their time are kept on disk, for a week at most, and deleted at the end of the share."
                : "Positions that cannot be sent at their time are left out; --keep-unsent keeps them.",
        ]
    }

    /// The fixes to leave out; `nil` for the default.
    private func thinning(for destination: Destination) throws -> Thinning? {
        guard maximumError != nil || maximumInterval != nil else { return nil }
        guard destination.service.keepsTime else {
            throw ShareRefusal(
                (destination.service.isBridge
                    ? "A bridge sends each position; "
                    : "\(destination.service.name) takes each position for the present one and receives one every ten seconds; ")
                    + "--maximum-error and --maximum-interval are for the other services.")
        }
        return Thinning(
            maximumError: maximumError,
            maximumInterval: try maximumInterval.map { try ShareTerm.interval($0) / .seconds(1) })
    }

    /// The place at which the share ends; `nil` for none.
    private func arrival() throws -> Arrival? {
        guard let untilArrival else { return nil }
        let places = try NamedPlaces.all(service.socket)
        guard let place = places.first(where: { $0.name == untilArrival }),
            let center = Coordinate(latitude: place.latitude, longitude: place.longitude)
        else {
            throw ShareRefusal(
                "You have no place \(untilArrival.shown(limit: 64)). "
                    + (places.isEmpty ? "" : "There are: \(places.map(\.name).joined(separator: ", ")). ")
                    + "To add one where you are, run: locationctl places add NAME --here")
        }
        return Arrival(name: place.name, center: center, radius: place.radius)
    }

    private func checkQueue(of destination: Destination) throws {
        guard destination.service.keepsTime else {
            throw ShareRefusal(
                "\(destination.service.isBridge ? "A bridge" : destination.service.name) takes each position for the present one, so that none is sent later. Leave out "
                    + "--keep-unsent.")
        }
        guard accuracy == .full else {
            throw ShareRefusal(
                "Only positions of full accuracy are kept. Leave out --keep-unsent or --accuracy reduced.")
        }
    }

    private func end(after now: Timestamp) throws -> Timestamp? {
        if indefinitely { return nil }
        if let length { return now.advanced(by: try ShareTerm.duration(length)) }
        guard let until else { return now.advanced(by: Share.longest) }
        let (hour, minute) = try ShareTerm.timeOfDay(until)
        return LocalClock.next(hour: hour, minute: minute, after: now)
    }
}

extension AccuracyAuthorization: ExpressibleByArgument {}

extension ShareDirectory {
    /// The start of the queue of a share that starts now: that of the share before unless it has ended, so that a share gets another end,
    /// or continues after a problem, without losing queued positions.
    fileprivate func queue(of destination: Destination, startedAt now: Timestamp) throws -> Timestamp {
        let phase = SharePhase(of: destination.share, try stateOrStop(of: destination), at: now)
        return phase == .sharing || phase == .failed ? destination.share?.queue ?? now : now
    }
}

/// The permission of this program.
enum SharingAuthorization {
    /// Asks the owner to allow this program at any time, unless that is so.
    static func request(_ socket: String?, _ owner: ShareOwner) async throws {
        let remedy = "To allow it, run: \(owner.allowCommand)"
        let manager = LocationManager(socketPath: socket)
        var authorization = try await manager.authorization
        switch authorization.status {
        case .authorizedAlways: return
        case .notDetermined, .authorizedWhenInUse:
            do throws(LocationError) {
                authorization = try await manager.requestAlwaysAuthorization()
            } catch {
                guard case .notAnswered = error else { throw error }
                throw ShareRefusal(
                    "Nothing is shared: sharing needs your permission at any time. \(remedy)", Exit.denied)
            }
        case .denied, .restricted: break
        }
        guard authorization.status != .authorizedAlways else { return }
        let cause = authorization.status == .restricted ? authorization.cause?.message : nil
        throw ShareRefusal(
            "Nothing is shared: \(cause ?? "sharing needs your permission at any time. \(remedy)")", Exit.denied)
    }
}

/// Times of the user's wall clock.
enum ShareClock {
    /// The end of a share in words; `nil` stands for a share without end.
    ///
    /// - Parameter place: the name of the place that ends it before that.
    static func ending(_ until: Timestamp?, at place: String? = nil) -> String {
        let end = until.map { "until \(text($0))" } ?? "until you stop it"
        return end + (place.map { ", or until you arrive at \($0.shown(limit: 64))" } ?? "")
    }

    /// `18:00` on the same day, `18:00 tomorrow` on the next one, otherwise with the date.
    static func text(_ time: Timestamp, now: Timestamp = .now()) -> String {
        let day = LocalClock.text(time, "%Y-%m-%d")
        let hour = LocalClock.text(time, "%H:%M")
        if day == LocalClock.text(now, "%Y-%m-%d") { return hour }
        // Noon, so that no change of the clock makes it another day.
        var next = LocalClock.fields(of: now)
        (next.tm_mday, next.tm_hour, next.tm_isdst) = (next.tm_mday + 1, 12, -1)
        let tomorrow = Timestamp(secondsSince1970: Int64(mktime(&next)))
        return day == LocalClock.text(tomorrow, "%Y-%m-%d") ? "\(hour) tomorrow" : "\(day) \(hour)"
    }
}
