import Dispatch
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import NIOEmbedded

@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink
@testable import VarlinkFrontEnd

/// The real daemon with scripted source, usage and peers.
enum ServiceFuzz {
    static func run(_ input: [UInt8]) throws {
        try waiting {
            let daemon = try await FuzzedDaemon()
            do {
                for step in Script(input) { try await daemon.perform(step) }
                try await daemon.finish()
            } catch {
                await daemon.end()
                throw error
            }
            await daemon.end()
        }
    }

    /// Blocks libFuzzer's thread, because libFuzzer does not support tasks.
    private static func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
        let (done, outcome) = (DispatchSemaphore(value: 0), Outcome())
        // A task, because the asynchronous part begins here.
        Task {
            do { try await body() } catch { outcome.error = error }
            done.signal()
        }
        done.wait()
        if let error = outcome.error { throw error }
    }

    /// `@unchecked Sendable` because it is read only after the semaphore was signalled.
    private final class Outcome: @unchecked Sendable {
        var error: (any Error)?
    }
}

extension FuzzedDaemon {
    /// Performs one step and waits for its consequences.
    fileprivate func perform(_ step: Script.Step) async throws {
        switch step {
        case .send(let bytes):
            try await onLoop { $0.connection(of: $0.speaker)?.send(bytes) }
        case .instruction(1, let number):
            try await onLoop { $0.speaker = Int(number) % FuzzedPeer.all.count }
        case .instruction(2, let number):
            try await emit(.location(Self.location(Int(number))))
        case .instruction(3, let number):
            try await onLoop { $0.emit(.unavailable([.silent, .noFix, .noReceiver, .notConnected][Int(number) % 4])) }
        case .instruction(4, let flag):
            try await onLoop { $0.usage.set(flag & 1 == 0) }
        case .instruction(5, let time):
            await loop.advanceTime(by: .milliseconds(Int64(time) * Int64(time)))
        case .instruction(6, _):
            try await onLoop { $0.connection(of: $0.speaker)?.close() }
        case .instruction(7, _):
            try await onLoop { $0.connection(of: $0.speaker)?.closeInput() }
        case .instruction(8, let flag):
            try await onLoop { $0.setReading(flag & 1 == 0) }
        case .instruction(11, let flag):
            try await onLoop { $0.reload(with: flag) }
        case .instruction(12, let number):
            let heading = Heading(
                trueHeading: Double(number), timestamp: Self.time,
                sourceInformation: .init(isSimulated: false, device: nil))
            try await onLoop { $0.emit(.heading(heading)) }
        default: return
        }
        try await settle()
        try await onLoop { try $0.check() }
    }

    /// Reports a location, and checks that only authorized peers get it, and only those with full accuracy get it
    /// exactly.
    private func emit(_ event: SourceEvent) async throws {
        try await onLoop { daemon in
            try daemon.check()
            daemon.emit(event)
            try daemon.check(isDelivery: true)
        }
    }

    /// Makes all peers read and lets all timeouts pass: then only streams are open.
    fileprivate func finish() async throws {
        try await onLoop { daemon in
            daemon.emit(.unavailable(.silent))
            daemon.readAll()
        }
        try await settle()
        // Longer than the timeouts of prompts and of requests for a location.
        for time in [TimeAmount.seconds(61), .seconds(3601)] {
            await loop.advanceTime(by: time)
            try await settle()
        }
        try await onLoop { daemon in
            try daemon.check()
            try daemon.checkNothingIsOpen()
        }
    }
}
