import Glibc
import LocationInterface
import LocationModel
import NIOCore
import NIOPosix
import TestSupport
import Testing

@Suite("The daemon's life", .timeLimit(.minutes(10)))
struct LifecycleTests {
    @Test("SIGHUP with a broken file keeps the last valid one in force and reports it")
    func reload() async throws {
        try await DaemonSite.run { daemon in
            let site = daemon.site
            try site.configure(["Limits": "none"])
            try site.write("clients.d/org.locationd.locationctl.plist", list: ["CFBundleIdentifier": 1])
            daemon.process.signal(SIGHUP)
            _ = try await daemon.log(containing: "Refused: \(site.configuration):")
            _ = try await daemon.log(containing: "Reloaded the configuration: some of it was refused")
            let problems = try await site.status().problems
            #expect(problems.contains { $0.file == site.configuration && $0.keyPath == "Limits" && $0.line != nil })
            #expect(problems.contains { $0.file.hasSuffix("/org.locationd.locationctl.plist") })
            #expect(try await site.locationctl("get").code == 0, "it is still declared")
            let status = try await site.locationctl("status")
            #expect(status.output.contains("  refused       \(site.configuration):"))

            try site.configure()
            try site.declare("org.locationd.locationctl", executable: "/nowhere")
            daemon.process.signal(SIGHUP)
            _ = try await daemon.log(containing: "all of it is in force")
            #expect(try await site.status().problems == [])
            #expect(try await site.locationctl("get").code == 77, "it is not declared any more")
        }
    }

    @Test("SIGTERM ends it with an error to open streams, whatever the clients do")
    func termination() async throws {
        // The word has half a second to go out, which can be too short on a busy machine.
        var isTold = false
        for _ in 0..<5 where !isTold { isTold = try await isToldOfTermination() }
        #expect(isTold)
    }

    /// Ends a daemon with several connections. Returns true if its last message to a stream says so.
    private func isToldOfTermination() async throws -> Bool {
        let daemon = try await DaemonSite().start()
        let subscriber = try await daemon.site.subscribe()
        let idle = try await Wire.connect(to: daemon.site.socket)
        let half = try await Wire.connect(to: daemon.site.socket)
        await half.send(#"{"method"#)
        // It has asked for so much that its buffer is full, and reads nothing.
        let deaf = try await Wire.connect(to: daemon.site.socket)
        let call =
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":"#
            + #"{"interface":"org.locationd.Location"}}"# + "\0"
        await deaf.send(String(repeating: call, count: 40))
        try await daemon.site.status("five connections") { $0.connections! >= 5 }

        async let last = lastMessage(to: subscriber)
        let (code, log) = try await daemon.stop()
        #expect(code == 0)
        #expect(log.hasSuffix("locationd has stopped.\n"))
        #expect(try await idle.receive() == nil)
        #expect(access(daemon.site.socket, F_OK) != 0, "the socket is gone")
        await deaf.close()
        return try await last?.contains(#""error":"\#(LocationInterface.ServiceStopping.name)""#) == true
    }

    private func lastMessage(to peer: Wire) async throws -> String? {
        var last: String?
        while let message = try await peer.receive() { last = message }
        return last
    }

    @Test("an error that prevents a start is one line and an exit code")
    func cannotRun() async throws {
        let site = try DaemonSite()
        func run(_ arguments: String...) async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                [Products.locationd, "--socket", site.socket, "--state-directory", site.directory.path] + arguments)
        }
        let absent = try await run("--config", site.directory.path + "/none.plist")
        #expect(absent.code == 78)
        #expect(absent.errors.hasPrefix("locationd cannot run: \(site.directory.path)/none.plist"))
        let track = try await run("--config", site.configuration, "--replay", site.configuration)
        #expect(track.code == 66)
        let both = try await run("--gpsd", "localhost", "--replay", site.track)
        #expect(both.code == 64)
        let daemon = try await site.start()
        let second = try await run("--config", site.configuration, "--replay", site.track)
        #expect(second.code == 74)
        #expect(second.errors.contains("in use by another process"))
        let elsewhere = site.directory.path + "/elsewhere"
        let third = try await ChildProcess.run([
            Products.locationd, "--config", site.configuration, "--replay", site.track, "--socket", site.socket,
            "--state-directory", elsewhere,
        ])
        #expect(third.code == 71)
        #expect(third.errors.contains("Another process is listening"))
        try await daemon.stop()
    }

    @Test("its log contains no coordinate")
    func discretion() async throws {
        let daemon = try await DaemonSite().start()
        let subscriber = try await daemon.site.subscribe()
        #expect(try await daemon.site.locationctl("get").code == 0)
        #expect(try await daemon.site.locationctl("watch", "--count", "3").code == 0)
        await subscriber.send("\(DaemonSite.latitude)\0")
        await subscriber.close()
        let log = try await daemon.stop().log
        #expect(!log.isEmpty)
        #expect(!log.contains("12.34") && !log.contains("98.76"), "\(log)")
    }

    /// Whether nothing happens in a process for two seconds: to wait is the test here.
    private func isIdleForTwoSeconds(_ process: Int32) async throws -> Bool {
        let before = try ProcessUsage(of: process)
        try await pass(.seconds(2))
        let after = try ProcessUsage(of: process)
        // A timer that was cancelled may still be armed in the kernel; it goes off once, for nothing. A thread that had
        // something to do at the start may end for want of more.
        return after.wakeUpsOfLoops - before.wakeUpsOfLoops <= 1 && after.otherWakeUps - before.otherWakeUps <= 1
            && after.processorTime == before.processorTime
    }

    @Test("without a subscriber gpsd is not watched, and nothing wakes the daemon")
    func idleness() async throws {
        let gpsd = try await ScriptedGPSD()
        let daemon = try await DaemonSite().start(gpsd: "127.0.0.1:\(gpsd.port)")
        async let subscribing = daemon.site.subscribe()
        let connection = try await gpsd.watcher()
        for second in 0..<2 {
            let time = "2026-11-21T08:30:0\(second).000Z"
            await connection.send(
                #"{"class":"TPV","device":"/dev/a","mode":2,"time":"\#(time)","lat":1.0,"lon":2.0}"# + "\n")
        }
        try await subscribing.close()
        #expect(try await connection.receive() == ScriptedGPSD.unwatch)

        // What has just ended may still be put away at first, on a busy machine for some seconds.
        var isIdle = false
        for _ in 0..<10 where !isIdle { isIdle = try await isIdleForTwoSeconds(daemon.process.processID) }
        #expect(isIdle)
        try await daemon.stop()
    }
}
