import LinuxPlumbing
import LocationCore
import LocationConfiguration
import LocationModel
import LocationPolicy
import Logging

/// An agent on the bus, such as GNOME Shell: the desktop's own dialog, its switch for location services, and its indicator of
/// use.
///
/// Its interface has one question, whether an application may know the location, and the answers yes and no. It keeps its
/// answers and lets the user change them, so it is asked again at each start of a program that it answered for. It cannot be
/// told to close a dialog; a late answer is ignored.
///
/// Confined to the event loop.
final class GeoClueAgent: PromptPresenter {
    /// The maximum number of agents of one user on the bus.
    static let mostPerUser = 16
    /// The time that it has to answer with its settings.
    private static let settingsTimeout = Duration.seconds(10)

    /// The state of knowledge about `MaxAccuracyLevel`.
    enum Level: Equatable {
        /// It was asked for the first time.
        case asked
        /// The last one that it reported.
        case known(UInt32)
        /// It gave no answer. In doubt programs are not given locations.
        case unknown
    }

    private(set) var level = Level.asked
    /// The last level that it reported; `nil` if it has not answered.
    var knownLevel: UInt32? { if case .known(let level) = level { level } else { nil } }
    private unowned let frontEnd: GeoClueFrontEnd
    private let user: GeoClueUser
    private let name: String
    private let connection: Connection
    private var unregister: () -> Void = {}
    private var reading: BusConnection.Slot?
    /// The applications of the prompts that it is to show, by prompt.
    private var applications: [Int: String] = [:]
    /// The calls behind open dialogs, by prompt.
    private var dialogs: [Int: BusConnection.Slot] = [:]
    private var isInUseTold = false

    init(_ peer: GeoCluePeer, of user: GeoClueUser, frontEnd: GeoClueFrontEnd, _ connection: Connection) {
        name = peer.name
        self.user = user
        self.frontEnd = frontEnd
        self.connection = connection
    }

    private var core: Core { frontEnd.core }

    /// Registers it for prompts, if its program is listed as an agent, and requests its settings.
    func register() throws(Refusal) {
        unregister = try core.registerAgent(self, .applications, connection)
        do throws(SystemdError) {
            try frontEnd.watchSettings()
        } catch {
            frontEnd.core.logger.error(
                "Changes of the desktop's switch for location services are not noticed: \(error)")
        }
        readLevel()
    }

    /// Ends the registration.
    func remove() {
        (reading, applications, dialogs) = (nil, [:], [:])
        unregister()
        core.close(connection)
    }

    /// Asks for `MaxAccuracyLevel`.
    func readLevel() {
        reading = frontEnd.bus?.call(
            "Get", of: Interface.properties.rawValue, at: Interface.agentPath, of: name, timeout: Self.settingsTimeout
        ) {
            $0.append(.text(Interface.agent.rawValue))
            $0.append(.text("MaxAccuracyLevel"))
        } handler: { [weak self] answer in
            guard let self else { return }
            reading = nil
            if answer.errorName == nil, case .number(let level)? = answer.readVariant() {
                setLevel(.known(level))
            } else {
                setLevel(.unknown)
            }
        }
        if reading == nil { setLevel(.unknown) }
    }

    private func setLevel(_ new: Level) {
        guard new != level else { return }
        level = new
        user.levelReported()
        showDialogs()
    }

    /// Asks whether an application may use the location. Calls `answer` with `nil` if there is no answer.
    func ask(about application: String, answer: @escaping (Bool?) -> Void) -> BusConnection.Slot? {
        // Its dialog has no timeout of its own.
        let timeout = Duration.seconds(core.configuration.daemon.promptTimeout)
        return frontEnd.bus?.call(
            "AuthorizeApp", of: Interface.agent.rawValue, at: Interface.agentPath, of: name, timeout: timeout
        ) {
            $0.append(.text(application))
            $0.append(.number(AccuracyLevel.exact))
        } handler: { message in
            guard message.errorName == nil, case .boolean(let isAllowed)? = message.read(BusType.boolean) else {
                return answer(nil)
            }
            answer(isAllowed)
        }
    }

    /// Replaces its earlier answer with this one.
    func decide(_ isAllowed: Bool, _ program: Connection, completion: @escaping () -> Void) {
        core.setDesktopAnswer(isAllowed, about: program, by: connection, completion: completion)
    }

    /// Shows or hides its indicator of use.
    func send(isInUse: Bool) {
        guard isInUse != isInUseTold else { return }
        isInUseTold = isInUse
        frontEnd.bus?.sendChange([("InUse", .boolean(isInUse))], of: .manager, to: name)
    }

    // MARK: Prompts

    func show(_ prompt: PromptReport) {
        guard let application = prompt.requester?.application else { return }
        applications[prompt.id] = application
        showDialogs()
    }

    /// Opens the dialogs of prompts without one, once it is known that the desktop allows locations: GNOME Shell asks even
    /// when they are switched off.
    private func showDialogs() {
        guard let knownLevel, knownLevel != AccuracyLevel.none else { return }
        for (promptID, application) in applications where dialogs[promptID] == nil {
            dialogs[promptID] = ask(about: application) { [weak self] isAllowed in
                guard let self, dialogs.removeValue(forKey: promptID) != nil else { return }
                applications[promptID] = nil
                guard let isAllowed else { return }
                do throws(Refusal) {
                    try core.answerPrompt(
                        promptID, isAllowed ? .allowWhileUsing : .dontAllow, connection, manner: .desktop
                    ) { _ in }
                } catch {
                    // The prompt has been answered elsewhere, or withdrawn.
                }
            }
        }
    }

    func withdraw(_ promptID: Int) { (applications[promptID], dialogs[promptID]) = (nil, nil) }

    /// Does nothing: the interface has no method for background activities.
    func show(_ activities: [ActivityReport]) {}

    /// Does nothing: the interface has no method for resets either.
    func show(_ resets: [ResetReport]) {}

    /// Does nothing, for the same reason; it is not asked, because it shows only the prompts of applications.
    func start(unit: String) {}
}

extension GeoClueFrontEnd {
    /// Registers a peer as an agent of its user.
    func addAgent(_ peer: GeoCluePeer, _ call: HeldMessage) {
        guard case .known(let identity, let process, let user) = peer.identity else { return }
        do throws(Refusal) {
            if peer.agent == nil {
                guard user.agents.count < GeoClueAgent.mostPerUser else {
                    throw .limitExceeded("AgentsPerUser", GeoClueAgent.mostPerUser)
                }
                let connection = try core.open(identity, process, frontEnd: .geoClue)
                let agent = GeoClueAgent(peer, of: user, frontEnd: self, connection)
                // Before it is asked for its level, which counts as unknown if the bus is lost.
                user.agents.append(agent)
                do throws(Refusal) {
                    try agent.register()
                } catch {
                    user.agents.removeLast()
                    core.close(connection)
                    throw error
                }
                peer.agent = agent
                agent.send(isInUse: user.isInUse)
            }
            bus?.reply(to: call.pointer)
        } catch {
            bus?.fail(call.pointer, BusError(error))
        }
    }

    /// Removes the registration of a peer. What its desktop allowed last still holds, until an agent says otherwise.
    func remove(_ agent: GeoClueAgent, of peer: GeoCluePeer) {
        peer.agent = nil
        peer.user?.agents.removeAll { $0 === agent }
        agent.remove()
        guard let user = peer.user else { return }
        if user.reportedLevel == nil { core.endDesktopReports(of: user.id) }
        user.levelsChanged()
    }
}
