import ArgumentParser
import CommandLineSupport
import Glibc
import LocationClient

struct TimeZoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time-zone",
        abstract: "Set the machine's time zone as it travels, until it is ended.",
        discussion: """
            The system unit locationd-timezone.service runs this, off by default. To switch it on, run:
              sudo systemctl enable --now locationd-timezone

            It sets the zone when the machine has been in another one for ten minutes. It gets an approximate location only, \
            and keeps the zone near borders, at sea, and while you have set another one by hand.
            """)

    /// The user of the unit.
    private static let user = "locationd-timezone"

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        var setter = try TimeZoneSetter(
            stateDirectory: Self.directory("STATE_DIRECTORY"), runtimeDirectory: Self.directory("RUNTIME_DIRECTORY")
        )
        let manager = LocationManager(socketPath: service.socket)
        var last: String?
        var stay = Stay()
        let (events, continuation) = AsyncThrowingStream.makeStream(of: Event.self, throwing: (any Error).self)
        let updates = Task {
            do {
                for try await update in manager.significantLocationChanges() { continuation.yield(.update(update)) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        defer { updates.cancel() }
        for try await event in events {
            switch event {
            case .update(let update):
                if let location = update.location {
                    last = nil
                    await setter.receive(location)
                    stay.begin(setter.wait, continuation)
                } else if let obstacle = await obstacle(update, manager) {
                    // Where it is now is not known.
                    stay.end()
                    if obstacle != last { Terminal.complain(obstacle.shown(limit: 4096)) }
                    last = obstacle
                }
            case .stayed(let number) where number == stay.number:
                await setter.remain()
                stay.begin(setter.wait, continuation)
            case .stayed: break
            }
        }
    }

    private enum Event {
        case update(LocationUpdate)
        /// No location has come since the stay of this number began.
        case stayed(Int)
    }

    /// The time for which the machine gets no location: one that stays where it is has no significant change.
    private struct Stay {
        private(set) var number = 0
        private var timer: Task<Void, Never>?

        mutating func begin(_ wait: Duration?, _ events: AsyncThrowingStream<Event, any Error>.Continuation) {
            end()
            guard let wait else { return }
            timer = Task { [number] in
                // While the machine sleeps it may be carried elsewhere.
                guard (try? await Task.sleep(for: wait, clock: .suspending)) != nil else { return }
                events.yield(.stayed(number))
            }
        }

        mutating func end() {
            timer?.cancel()
            number += 1
        }
    }

    /// The reason for having no location, as a sentence; `nil` for an approximate one, which is enough.
    private func obstacle(_ update: LocationUpdate, _ manager: LocationManager) async -> String? {
        guard update.diagnostic != .accuracyLimited else { return nil }
        guard update.cause?.reason != .deniedByUser else {
            // The service's own sentence is for a user who types.
            return "Location access is denied, so the time zone stays. To allow it, run: "
                + "sudo locationctl allow --always org.locationd.timezone --user \(Self.user)"
        }
        return await update.obstacle(socket: manager.socketPath)
    }

    /// A directory that systemd has made for the unit.
    private static func directory(_ variable: String) -> String? { getenv(variable).map { String(cString: $0) } }
}
