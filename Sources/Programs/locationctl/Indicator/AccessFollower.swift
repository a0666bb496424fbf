import LocationClient
import LocationInterface
import LocationServiceManagement
import Pacing

/// Follows which programs are given the user's location, over restarts of the service.
struct AccessFollower {
    /// What it reports.
    enum Event: Hashable {
        /// The programs that are given the location now.
        case accesses([LocationServiceManager.CurrentAccess])
        /// The service has ended or cannot be reached, as a sentence. It is connected to again.
        case lost(reason: String)
    }

    let manager: LocationServiceManager

    /// Reports the programs, at first and whenever they change, until the task is cancelled.
    ///
    /// - Throws: ``LocationError`` if this program may not know them.
    func run(
        isolation: isolated (any Actor)? = #isolation, _ report: (Event) async -> Void
    ) async throws(LocationError) {
        var backOff = BackOff(from: .milliseconds(250), to: .seconds(15))
        var last: Event?
        while !Task.isCancelled {
            var reason = "The location service has ended."
            do throws(LocationError) {
                // The stream is the only thing that is waited for: nothing is sent here while nothing changes.
                for try await _ in try await manager.changes(of: [.currentAccesses]) {
                    let event = Event.accesses(try await manager.currentAccesses())
                    if event != last { await report(event) }
                    last = event
                    backOff.reset()
                }
            } catch {
                guard case .serviceUnavailable(let cause) = error else {
                    if Task.isCancelled { return }
                    throw error
                }
                reason = cause
            }
            guard !Task.isCancelled else { return }
            let event = Event.lost(reason: reason)
            if event != last { await report(event) }
            last = event
            // The loop's condition handles cancellation.
            try? await Task.sleep(for: backOff.next(random: .random(in: 0...1)))
        }
    }
}
