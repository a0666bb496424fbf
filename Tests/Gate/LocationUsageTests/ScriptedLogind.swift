import LinuxPlumbing
import TestSupport

@testable import LocationUsage

/// A logind of the test's own, on a bus of the test's own.
final class ScriptedLogind: Sendable {
    /// A session as logind reports it.
    struct Session: Sendable {
        var user: UInt32 = 1000
        var seat = "seat0"
        var type = "wayland"
        var kind = "user"
        var isActive = true
        var isLocked = false
        var isIdle = false
        var state = "active"
    }

    private final class State {
        var sessions: [String: Session]
        var peers: Set<String> = []

        init(_ sessions: [String: Session]) { self.sessions = sessions }
    }

    private let service: ScriptedBusService<State>

    init(on address: String, _ sessions: [String: Session]) async throws {
        service = try await ScriptedBusService(
            SeatSessions.name, below: SeatSessions.path, on: address, state: { State(sessions) },
            answer: { Self.answer($0, on: $1, $2) })
    }

    private static func path(_ id: String) -> String {
        BusPath.encode(id, below: SeatSessions.path + "/session") ?? "/"
    }

    private static func answer(_ call: IncomingMessage, on bus: BusConnection, _ state: State) {
        state.peers.insert(call.sender)
        switch call.member {
        case "ListSessions":
            bus.reply(to: call.pointer) { message in
                message.appendArray(of: "(susso)") { message in
                    for (id, session) in state.sessions {
                        message.appendStructure(of: "susso") {
                            $0.append(id)
                            $0.append(session.user)
                            $0.append("name")
                            $0.append(session.seat)
                            $0.append(path: path(id))
                        }
                    }
                }
            }
        case "GetAll":
            guard let session = state.sessions.first(where: { path($0.key) == call.path })?.value else {
                let name = "org.freedesktop.DBus.Error.UnknownObject"
                return bus.fail(call.pointer, name: name, message: "No such session.")
            }
            bus.reply(to: call.pointer) { append(session, to: &$0) }
        default: break
        }
    }

    private static func append(_ session: Session, to message: inout OutgoingMessage) {
        message.appendArray(of: "{sv}") {
            $0.appendEntry("User", of: "(uo)") {
                $0.appendStructure(of: "uo") {
                    $0.append(session.user)
                    $0.append(path: "/user")
                }
            }
            $0.appendEntry("Seat", of: "(so)") {
                $0.appendStructure(of: "so") {
                    $0.append(session.seat)
                    $0.append(path: "/seat")
                }
            }
            $0.appendEntry("Type", of: "s") { $0.append(session.type) }
            $0.appendEntry("Class", of: "s") { $0.append(session.kind) }
            $0.appendEntry("Active", of: "b") { $0.append(session.isActive) }
            $0.appendEntry("LockedHint", of: "b") { $0.append(session.isLocked) }
            $0.appendEntry("IdleHint", of: "b") { $0.append(session.isIdle) }
            $0.appendEntry("State", of: "s") { $0.append(session.state) }
        }
    }

    /// Changes a session, begins one, or ends one with `nil`, and signals that.
    ///
    /// - Parameter signals: false for what logind computes only when asked.
    func set(_ id: String, _ session: Session?, signals: Bool = true) async throws {
        try await service.change { state, bus in
            let before = state.sessions[id]
            state.sessions[id] = session
            for peer in signals ? state.peers : [] {
                guard let session, before != nil else {
                    let name = session == nil ? "SessionRemoved" : "SessionNew"
                    bus.signal(name, of: SeatSessions.manager, at: SeatSessions.path, to: peer) {
                        $0.append(id)
                        $0.append(path: Self.path(id))
                    }
                    continue
                }
                bus.signal("PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: Self.path(id), to: peer) {
                    $0.append(SeatSessions.session)
                    Self.append(session, to: &$0)
                    $0.appendArray(of: "s")
                }
            }
        }
    }

    func close() async throws { try await service.close() }
}
