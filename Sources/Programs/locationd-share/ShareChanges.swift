import ArgumentParser
import CommandLineSupport
import LocationModel
import LocationSharing
import SharingProgram

struct ShareNameOptions: ParsableArguments {
    @OptionGroup var owner: ShareOwner

    @Argument(help: ArgumentHelp("The destination, of share add.", valueName: "name"))
    var name: String
}

struct SharePause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Send nothing until you resume the share. Its end stays the same.",
        discussion: """
            The service is told to forget your position meanwhile, if it can. Positions that were kept because they could not \
            be sent are deleted.
            """)

    @OptionGroup var options: ShareNameOptions

    func run() async throws {
        let (_, deleted) = try ShareChange.deletingQueue(options) {
            try ShareChange.setPaused(true, options)
        }
        Terminal.say(
            "\(options.name): paused.\(deleted) To continue, run: \(options.owner.command("resume \(options.name)"))"
        )
    }
}

struct ShareResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Continue a share that is paused.")

    @OptionGroup var options: ShareNameOptions

    @Flag(help: "Do not start the unit: locationctl share run sends.")
    var noService = false

    func run() async throws {
        let share = try ShareChange.setPaused(false, options)
        if !noService { try options.owner.unit.restart() }
        Terminal.say("\(options.name): shared \(ShareClock.ending(share.until, at: share.arrival?.name)).")
    }
}

struct ShareStop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End a share.",
        discussion: """
            Nothing more is sent but the message that has the service forget your position, if it can. Positions that were \
            kept because they could not be sent are deleted.
            """)

    @OptionGroup var options: ShareNameOptions

    func run() async throws {
        let directory = try options.owner.directory
        let (destination, deleted) = try ShareChange.deletingQueue(options) {
            try directory.change { destinations in
                let index = try destinations.index(of: options.name, options.owner)
                destinations[index].share = nil
                return destinations[index]
            }
        }
        let service = destination.service
        let state = try directory.stateOrStop(of: destination)
        let isShowing = state.isShowing && service.forgetsPosition
        if isShowing, try !directory.isSending { try options.owner.unit.restart() }
        Terminal.say(
            isShowing
                ? "\(options.name): the share has ended, and \(service.name) is being told to forget your position. It may still "
                    + "show it until then. To see when it has forgotten it, run: \(options.owner.command("status"))"
                : "\(options.name): not shared.\(deleted)"
                    + (service.keepsLastPosition && state.lastDelivery != nil
                        ? " \(service.name) still shows the last position." : ""))
    }
}

struct ShareRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a service and its URL.")

    @OptionGroup var options: ShareNameOptions

    @Flag(help: "Also if the service may still show your position.")
    var force = false

    func run() async throws {
        let directory = try options.owner.directory
        let name = options.name
        var isBridge = false
        let showing = try directory.change { destinations -> String? in
            let index = try destinations.index(of: name, options.owner)
            isBridge = destinations[index].service.isBridge
            let state = try directory.stateOrStop(of: destinations[index])
            let service = destinations[index].service
            let isShowing = state.isShowing && service.forgetsPosition
            let showing = "\(service.name) at \(destinations[index].origin) may still show your position"
            guard !isShowing || force else {
                throw ShareRefusal(
                    "\(showing), because it has not confirmed that it has forgotten it. First run: "
                        + "\(options.owner.command("stop \(name)")). To remove it all the same, add --force.")
            }
            destinations.remove(at: index)
            return isShowing ? " \(showing): remove it there." : nil
        }
        try directory.removeFiles(of: name)
        Terminal.say("\(name): removed\(isBridge ? "" : ", with its URL").\(showing ?? "")")
    }
}

enum ShareChange {
    /// Changes a share that may keep no positions after that. Returns the result, and a sentence that says how many were deleted,
    /// after a space.
    static func deletingQueue<Result>(
        _ options: ShareNameOptions, _ change: () throws -> Result
    ) throws -> (Result, String) {
        let (directory, name) = (try options.owner.directory, options.name)
        // Before the program that sends deletes them. What cannot be counted is deleted all the same.
        let count = (try? directory.queueCount(of: name)) ?? 0
        let result = try change()
        try directory.removeQueue(of: name)
        guard count > 0 else { return (result, "") }
        let verb = count == 1 ? "was" : "were"
        return (result, " \(count.positions) that could not be sent \(verb) deleted.")
    }

    /// Pauses or resumes a share that has not ended.
    @discardableResult
    static func setPaused(_ isPaused: Bool, _ options: ShareNameOptions) throws -> Share {
        let (directory, name) = (try options.owner.directory, options.name)
        return try directory.change { destinations in
            let index = try destinations.index(of: name, options.owner)
            let state = try directory.stateOrStop(of: destinations[index])
            let phase = SharePhase(of: destinations[index].share, state, at: .now())
            guard var share = destinations[index].share, phase != .ended, phase != .off else {
                throw ShareRefusal(
                    "\(name) is not shared. To start a share, run: \(options.owner.command("start \(name)"))")
            }
            share.isPaused = isPaused
            destinations[index].share = share
            return share
        }
    }
}
