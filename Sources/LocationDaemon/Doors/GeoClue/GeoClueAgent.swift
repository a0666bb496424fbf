import GeoClue
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationUsage
import Logging

/// An agent on the bus, such as GNOME Shell: the desktop's own dialog, its switch for location services, and its sign that a
/// location is in use.
///
/// It has one question, whether an application may know the location, and two answers, and it keeps them: so it is asked again
/// whenever a program starts about which it answered. It takes no dialog away by request; an answer to what is not asked any
/// more counts for nothing here.
///
/// Confined to the event loop.
final class GeoClueAgent: PromptPresenter {
    /// How many agents on the bus one user has at most.
    static let mostPerUser = 16
    /// How long it has to say what its settings are.
    private static let settingsTimeout = Duration.seconds(10)

    let userID: UInt32
    /// `MaxAccuracyLevel`; `nil` until it has said.
    private(set) var ceiling: UInt32?
    private unowned let door: GeoClueDoor
    private let name: String
    private let connection: Connection
    private var unregister: () -> Void = {}
    private var watch: BusConnection.Slot?
    private var reading: BusConnection.Slot?
    /// The prompts that it shows.
    private var prompts: [Int: BusConnection.Slot] = [:]
    private var isInUseTold = false

    init(_ peer: GeoCluePeer, door: GeoClueDoor, _ connection: Connection) {
        name = peer.name
        userID = connection.user.id
        self.door = door
        self.connection = connection
    }

    private var core: Core { door.hub.core }

    /// Begins to show prompts, if its program may.
    func register() throws(Refusal) {
        unregister = try core.registerAgent(self, .applications, connection)
        let rule =
            "type='signal',sender='\(name)',path='\(Interface.agentPath)',interface='\(Interface.properties.rawValue)',"
            + "member='PropertiesChanged'"
        do throws(SystemdError) {
            watch = try door.bus?.handleSignals(matching: rule) { [weak self] message in
                if message.sender == self?.name { self?.readCeiling() }
            }
        } catch {
            door.hub.logger.error("The desktop's switch for location services counts only as it is now: \(error)")
        }
        readCeiling()
    }

    /// It has gone.
    func remove() {
        (watch, reading, prompts) = (nil, nil, [:])
        unregister()
        core.close(connection)
    }

    private func readCeiling() {
        reading = door.bus?.call(
            "Get", of: Interface.properties.rawValue, at: Interface.agentPath, of: name, timeout: Self.settingsTimeout
        ) {
            $0.append(.text(Interface.agent.rawValue))
            $0.append(.text("MaxAccuracyLevel"))
        } handler: { [weak self] answer in
            guard let self else { return }
            reading = nil
            guard answer.errorName == nil, case .number(let level)? = answer.readVariant() else { return }
            guard level != ceiling else { return }
            ceiling = level
            door.ceilingChanged(of: userID)
        }
    }

    /// Asks whether an application may know the location; `answer` is given `nil` if it does not say. Nobody is asked if this
    /// returns `nil`.
    func ask(about application: String, answer: @escaping (Bool?) -> Void) -> BusConnection.Slot? {
        // Its dialog has no timeout of its own.
        let timeout = Duration.seconds(core.configuration.daemon.promptTimeout)
        return door.bus?.call(
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

    /// Puts an answer into force that differs from what it answered before.
    func decide(_ isAllowed: Bool, _ client: Client, completion: @escaping () -> Void) {
        do throws(Refusal) {
            try core.decide(
                isAllowed ? .allow(.whenInUse) : .deny, client.key.client, nil, connection, manner: .desktop
            ) { _ in completion() }
        } catch {
            completion()
        }
    }

    /// Shows that a location is in use, or no longer.
    func tell(isInUse: Bool) {
        guard isInUse != isInUseTold else { return }
        isInUseTold = isInUse
        door.bus?.tellChanged([("InUse", .boolean(isInUse))], of: .manager, to: name)
    }

    // MARK: Prompts

    func show(_ prompt: AgentInterface.Prompt) {
        guard let application = prompt.application, ceiling != AccuracyLevel.none else { return }
        prompts[prompt.id] = ask(about: application) { [weak self] isAllowed in
            guard let self, prompts.removeValue(forKey: prompt.id) != nil, let isAllowed else { return }
            do throws(Refusal) {
                try core.answerPrompt(
                    prompt.id, isAllowed ? .allowWhileUsing : .dontAllow, connection, manner: .desktop
                ) { _ in }
            } catch {
                // Somebody else has answered, or it was withdrawn.
            }
        }
    }

    func withdraw(_ promptID: Int) { prompts[promptID] = nil }

    /// It has no form for them.
    func show(_ activities: [AgentInterface.Activity]) {}
}

extension GeoClueDoor {
    /// A peer wants to be an agent of its user.
    func addAgent(_ peer: GeoCluePeer, _ call: HeldCall) {
        guard case .known(let identity, let process) = peer.identity else { return }
        do throws(Refusal) {
            if peer.agent == nil {
                guard agents.count(where: { $0.userID == identity.userID }) < GeoClueAgent.mostPerUser else {
                    throw .limitExceeded("AgentsPerUser", GeoClueAgent.mostPerUser)
                }
                let connection = try hub.core.open(identity, process, door: .geoClue)
                let agent = GeoClueAgent(peer, door: self, connection)
                do throws(Refusal) {
                    try agent.register()
                } catch {
                    hub.core.close(connection)
                    throw error
                }
                peer.agent = agent
                agents.append(agent)
                agent.tell(isInUse: isInUse(by: identity.userID))
            }
            bus?.reply(to: call.pointer)
        } catch {
            bus?.fail(call.pointer, BusError(error))
        }
    }

    /// The agent that is asked for a user.
    func agent(of userID: UInt32) -> GeoClueAgent? { agents.first { $0.userID == userID } }

    /// How exactly the programs of a user may know the location at most, as the user's desktop says; `nil` if none says.
    func ceiling(of userID: UInt32) -> UInt32? {
        agents.lazy.filter { $0.userID == userID }.compactMap(\.ceiling).min()
    }

    /// Applies what a user's desktop says to the programs of that user.
    func ceilingChanged(of userID: UInt32) {
        for client in clients.values where client.peer.userID == userID { client.ceilingChanged() }
    }
}
