package import LinuxPlumbing
import LocationPolicy
import Logging
import NIOCore
import Pacing

/// Starts units of the system's service manager.
package protocol UnitStarting: AnyObject {
    /// Starts a unit and calls `completion` once the service manager has accepted or refused that, on the event loop, never from
    /// within the call. Without a connection to the service manager it waits for one.
    func start(_ unit: String, completion: @escaping (Result<Void, BusFailure>) -> Void)
    /// Ends waiting for the service manager. Starts that it has not answered are not reported any more.
    func close()
}

/// Starts the programs of clients that have an event to receive and are not connected: those whose declaration names a unit.
///
/// A unit is always that of the declaration in force. A start is an offer: what cannot be started is logged once, and its events
/// wait for its next connection. Each client of each user has its own pace.
///
/// Confined to the event loop.
final class ProgramLauncher {
    /// A program that was to be started.
    private struct Program {
        var pace = LaunchPace()
        /// True until it is started or connects.
        var isWanted = false
        /// The time to which the start was put off.
        var timer: LoopTimer?
        /// True while the service manager is asked.
        var isBeingStarted = false
        /// The reason why the last start was not possible, which is logged once.
        var obstacle: String?
    }

    private let table: ConnectionTable
    private let directory: ClientDirectory
    private let prompts: PromptDispatcher
    private let queue: CoreQueue
    private var eventLoop: any EventLoop { queue.eventLoop }
    private let logger: Logger
    private var programs: [ClientKey: Program] = [:]
    /// Starts system units; without it none is.
    var starter: (any UnitStarting)?

    init(
        table: ConnectionTable, directory: ClientDirectory, prompts: PromptDispatcher, queue: CoreQueue, logger: Logger
    ) {
        (self.table, self.directory, self.prompts) = (table, directory, prompts)
        (self.queue, self.logger) = (queue, logger)
    }

    /// Has the program of a client started, for an event that it is not connected to receive. Does nothing for a client whose
    /// declaration names no unit, and while an earlier start is under way.
    func start(_ client: Client) {
        let key = client.key
        guard unit(of: key) != nil else { return }
        programs[key, default: Program()].isWanted = true
        attempt(key)
    }

    /// Notes that a client has connected to receive its events.
    func programConnected(_ client: Client) {
        let key = client.key
        guard var program = programs[key] else { return }
        program.timer?.cancel()
        program.pace.programConnected(at: eventLoop.now)
        (program.isWanted, program.timer, program.obstacle) = (false, nil, nil)
        programs[key] = program
    }

    /// Starts the programs that have waited for an agent of their user.
    func agentRegistered(of userID: UInt32) {
        for (key, program) in programs where key.userID == userID && program.isWanted { attempt(key) }
    }

    /// Starts nothing any more.
    func shutdown() {
        for program in programs.values { program.timer?.cancel() }
        programs = [:]
        starter?.close()
        starter = nil
    }

    /// The unit by the declaration in force.
    private func unit(of key: ClientKey) -> LaunchUnit? { directory.registry.declarations[key.client]?.launch }

    private func attempt(_ key: ClientKey) {
        guard var program = programs[key], program.isWanted, program.timer == nil, !program.isBeingStarted,
            let unit = unit(of: key)
        else { return }
        if case .user = unit, prompts.launcher(of: table.users[key.userID]) == nil {
            return report(
                "\(unit.name) of user \(key.userID) is not started for \(key.client) before an agent of the user runs "
                    + "(locationctl agent).", key)
        }
        if let delay = program.pace.delay(at: eventLoop.now) {
            program.timer = queue.makeTimer(in: delay) { [weak self] in
                self?.programs[key]?.timer = nil
                self?.attempt(key)
            }
            programs[key] = program
            return
        }
        switch unit {
        case .system(let name):
            program.isBeingStarted = starter != nil
            programs[key] = program
            starter?.start(name) { [weak self] answer in self?.queue.take { self?.receive(answer, name, key) } }
        case .user(let name):
            program.isWanted = false
            programs[key] = program
            prompts.launcher(of: table.users[key.userID])?.start(unit: name)
            noteStart(of: name, key)
        }
    }

    private func receive(_ answer: Result<Void, BusFailure>, _ unit: String, _ key: ClientKey) {
        guard programs[key] != nil else { return }
        programs[key]?.isBeingStarted = false
        programs[key]?.isWanted = false
        switch answer {
        case .success:
            programs[key]?.obstacle = nil
            noteStart(of: unit, key)
        case .failure(let failure):
            let text = failure.description
            let reason = text.hasSuffix(".") ? String(text.dropLast()) : text
            report(
                "\(unit) could not be started for \(key.client) of user \(key.userID): \(reason). Its events wait for its "
                    + "next connection. To find out more, run: sudo locationctl doctor", key)
        }
    }

    private func noteStart(of unit: String, _ key: ClientKey) {
        logger.info(
            "Started \(unit) for \(key.client) of user \(key.userID), which has an event to receive.",
            metadata: JournalMessage.metadata(client: key.client, user: key.userID))
    }

    /// Logs the reason why a program is not started, once.
    private func report(_ obstacle: String, _ key: ClientKey) {
        guard programs[key]?.obstacle != obstacle else { return }
        programs[key]?.obstacle = obstacle
        logger.notice("\(obstacle)", metadata: JournalMessage.metadata(client: key.client, user: key.userID))
    }
}

extension LaunchUnit {
    /// The unit's name.
    package var name: String {
        switch self {
        case .system(let name), .user(let name): name
        }
    }
}

extension SystemUnitStarter: UnitStarting {}
