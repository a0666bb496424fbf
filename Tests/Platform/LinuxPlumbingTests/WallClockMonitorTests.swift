import FoundationEssentials
import Glibc
import NIOCore
import TestSupport
import Testing

@testable import LinuxPlumbing

/// In turn, because the clock of one test is that of the others.
@Suite(.timeLimit(.minutes(10)), .serialized) struct WallClockMonitorTests {
    /// A monitor on its own loop, and the number of changes that it reported.
    ///
    /// `@unchecked Sendable` because everything is used on `loop` only.
    private final class Subject: @unchecked Sendable {
        let loop = ObservedLoops.next()
        private var count = 0
        private let monitor: WallClockMonitor

        init(timeZoneFile: String = "/etc/localtime") {
            monitor = WallClockMonitor(eventLoop: loop, timeZoneFile: timeZoneFile)
            monitor.onChange = { [unowned self] in count += 1 }
        }

        func watch(until time: Duration?) async throws {
            try await loop.submit { [self] in try monitor.watch(until: time) }.get()
        }

        func awaitChange(_ what: String) async throws {
            try await ObservedLoops.ensure(what, on: loop) { [self] in
                defer { if count > 0 { count = 0 } }
                return count > 0
            }
        }

        func taken() async throws -> Int {
            try await loop.submit { [self] in
                defer { count = 0 }
                return count
            }.get()
        }
    }

    private static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test("a future time and a past one are reported, once each; one that never comes is not")
    func timesAreReported() async throws {
        let subject = Subject()
        let time = Self.now() + .milliseconds(20)
        try await subject.watch(until: time)
        try await subject.awaitChange("the time")
        #expect(Self.now() >= time)
        for past in [Self.now() - .seconds(1), .zero, .seconds(-1)] {
            try await subject.watch(until: past)
            try await subject.awaitChange("a time in the past")
        }
        try await subject.watch(until: .seconds(Int64.max))
        #expect(try await subject.taken() == 0)
        try await subject.watch(until: nil)
    }

    @Test("another time replaces the awaited one, and the end of the watch cancels it")
    func watchIsReplacedAndEnded() async throws {
        let subject = Subject()
        try await subject.watch(until: Self.now() + .seconds(3600))
        try await subject.watch(until: Self.now())
        try await subject.awaitChange("the time set last")
        try await subject.watch(until: Self.now() + .milliseconds(5))
        try await subject.watch(until: nil)
        // It may have come before it was withdrawn.
        _ = try await subject.taken()
        // Another monitor reports the same time, and later.
        let other = Subject()
        try await other.watch(until: Self.now() + .milliseconds(10))
        try await other.awaitChange("the time of another monitor")
        #expect(try await subject.taken() == 0)
        try await other.watch(until: nil)
    }

    @Test("a changed time zone is reported, as a link and as a file in its place")
    func timeZoneIsWatched() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/localtime"
        #expect(symlink("/usr/share/zoneinfo/UTC", path) == 0)
        let subject = Subject(timeZoneFile: path)
        try await subject.watch(until: .seconds(Int64.max))
        // As timedatectl does it.
        #expect(symlink("/usr/share/zoneinfo/Europe/Berlin", path + ".new") == 0 && rename(path + ".new", path) == 0)
        try await subject.awaitChange("a link in its place")
        #expect(unlink(path) == 0)
        try await subject.awaitChange("its removal")
        try "TZif2".write(toFile: path, atomically: false, encoding: .utf8)
        try await subject.awaitChange("a file in its place")
        try await subject.watch(until: nil)
    }

    /// Only on request, because the clock is the machine's: it is set to the time that it shows.
    @Test(
        "a clock that is set is reported at once",
        .enabled(if: getenv("LOCATIOND_SET_CLOCK") != nil, "LOCATIOND_SET_CLOCK is not set"))
    func setClockIsReported() async throws {
        let subject = Subject()
        try await subject.watch(until: .seconds(Int64.max))
        for _ in 1...3 {
            var time = timespec()
            #expect(clock_gettime(CLOCK_REALTIME, &time) == 0 && clock_settime(CLOCK_REALTIME, &time) == 0)
            try await subject.awaitChange("the clock that was set")
            // The caller sets the next time, before or after another change.
            try await subject.watch(until: .seconds(Int64.max))
        }
        try await subject.watch(until: nil)
    }

    @Test("a time zone that cannot be watched is an error")
    func unwatchableTimeZoneIsAnError() async throws {
        let subject = Subject(timeZoneFile: "/nonexistent/localtime")
        await #expect(throws: SystemdError.self) { try await subject.watch(until: .zero) }
        try await subject.watch(until: nil)
    }
}
