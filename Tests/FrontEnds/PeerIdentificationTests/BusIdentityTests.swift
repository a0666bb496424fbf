import CLinux
import LinuxPlumbing
import Glibc
import LocationPolicy
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import PeerIdentification

/// Who is at the other end of a connection to a message bus.
@Suite("Peers on a bus", .timeLimit(.minutes(10))) struct BusIdentityTests {
    /// Identifies a process that a bus names; all processes here are of a system service.
    private func identify(
        _ processID: Int32, user: UInt32 = getuid(), pidfd: Int32? = nil, label: String? = nil
    ) async throws -> PeerIdentity {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        return try await loop.flatSubmit {
            PeerIdentifier(eventLoop: loop, membership: { _ in UnitMembership(systemdUnit: "weather.service") })
                .identify(
                    BusCredentials(
                        userID: user, processID: processID, processDescriptor: pidfd, securityLabel: label)
                ).map(\.0)
        }.get()
    }

    @Test("without a pidfd from the bus a process is not taken for a system service, and with one it is")
    func withoutPidfd() async throws {
        let named = try await identify(getpid(), label: "label")
        #expect(named.systemdUnit == nil)
        #expect(named.executable == ProcessEvidence.readLink("/proc/self/exe"))
        #expect(named.securityLabel == "label")
        let pidfd = locationd_pidfd_open(getpid())
        defer { close(pidfd) }
        #expect(try await identify(getpid(), pidfd: pidfd).systemdUnit == "weather.service")
        #expect(fcntl(pidfd, F_GETFD) >= 0, "it is borrowed")
    }

    @Test("a process of another user than the connection's is refused")
    func userOfTheConnection() async throws {
        let error = await #expect(throws: PeerIdentifier.Failure.self) {
            try await identify(getpid(), user: getuid() + 1)
        }
        #expect(
            error?.description
                == "process \(getpid()) is of user \(getuid()), and the connection of user \(getuid() + 1)")
    }

    @Test("a process that has exited is refused, even if its id is in use again")
    func exited() async throws {
        let child = try await ChildProcess(["/usr/bin/sleep", "600"])
        let pidfd = locationd_pidfd_open(child.processID)
        defer { close(pidfd) }
        child.signal(SIGKILL)
        _ = try await child.exitCode()
        for processID in [child.processID, getpid()] {
            await #expect(throws: PeerIdentifier.Failure.self) { try await identify(processID, pidfd: pidfd) }
        }
        await #expect(throws: PeerIdentifier.Failure.self) { try await identify(child.processID) }
    }

    @Test("a process that exits while it is identified is refused")
    func exitsMeanwhile() async throws {
        let child = try await ChildProcess(["/usr/bin/sleep", "600"])
        let pidfd = locationd_pidfd_open(child.processID)
        defer { close(pidfd) }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let identified = loop.flatSubmit {
            PeerIdentifier(
                eventLoop: loop,
                membership: { _ in
                    child.signal(SIGKILL)
                    // Its pidfd becomes readable when it has exited.
                    var polled = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
                    #expect(poll(&polled, 1, -1) == 1)
                    return UnitMembership(systemdUnit: nil)
                }
            ).identify(
                BusCredentials(
                    userID: getuid(), processID: child.processID, processDescriptor: pidfd, securityLabel: nil))
        }
        await #expect(throws: PeerIdentifier.Failure.self) { _ = try await identified.get() }
    }
}
