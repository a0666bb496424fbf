import DaemonTestSupport
import Glibc
import LocationPolicy
import LocationSources
import TestSupport
import Testing

@testable import GPSDFrontEnd
@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

/// Programs of gpsd itself, unmodified and identified by the kernel.
@Suite(
    "Programs of gpsd at this service", .enabled(if: access("/usr/bin/gpspipe", X_OK) == 0), .timeLimit(.minutes(10)))
struct GPSDProgramsTests {
    /// A declaration of a program that may know the location.
    private static func declared(_ path: String) -> ClientDeclaration {
        .example("org.example.Program", executable: String(cString: realpath(path, nil)))
    }

    /// Runs a program of gpsd until a line of it contains a text, while the source reports a fix.
    private static func run(_ arguments: [String], until text: String, _ daemon: DaemonUnderTest) async throws {
        try await daemon.emitWhenNeeded(Fix(number: 1).event)
        let child = try await ChildProcess(arguments)
        while let line = try await child.output.receive() {
            if line.contains(text) { return child.signal(SIGKILL) }
        }
        throw AwaitedInVain(text, because: try await child.errors.rest())
    }

    @Test("gpspipe reads JSON and NMEA")
    func gpspipe() async throws {
        try await GPSDPort.run(clients: [Self.declared("/usr/bin/gpspipe")], isReal: true) { daemon, port, _ in
            // Spaces follow, and the brace.
            let tpv = String(GPSDPort.tpv(Fix(number: 1)).dropLast())
            try await Self.run(["/usr/bin/gpspipe", "-w", "localhost:\(port)"], until: tpv, daemon)
            try await daemon.ensure(connections: 0)
            let place = ",A,4800.0600000,N,01130.0000000,E,"
            try await Self.run(["/usr/bin/gpspipe", "-r", "127.0.0.1:\(port)"], until: place, daemon)
        }
    }

    @Test(
        "gpxlogger writes the fix when it is told to connect to the port",
        .enabled(if: access("/usr/bin/gpxlogger", X_OK) == 0))
    func gpxlogger() async throws {
        try await GPSDPort.run(clients: [Self.declared("/usr/bin/gpxlogger")], isReal: true) {
            daemon, port, _ in
            let command = ["/usr/bin/gpxlogger", "-e", "sockets", "localhost:\(port)"]
            try await Self.run(command, until: #"<trkpt lat="48.001"#, daemon)
        }
    }

    @Test("libgps for Python reads the fix, which it takes for one at 95 %")
    func python() async throws {
        let script = """
            import gps, sys
            session = gps.gps(host="127.0.0.1", port=sys.argv[1], mode=gps.WATCH_ENABLE)
            while session.read() == 0:
                if session.fix.mode >= 2:
                    print(session.fix.mode, session.fix.latitude, session.fix.longitude, session.fix.epx, flush=True)
                    break
            """
        let probe = try await ChildProcess.run(["/usr/bin/python3", "-c", "import gps"])
        guard probe.code == 0 else { return }
        try await GPSDPort.run(clients: [Self.declared("/usr/bin/python3")], isReal: true) { daemon, port, _ in
            let command = ["/usr/bin/python3", "-c", script, "\(port)"]
            try await Self.run(command, until: "2 48.001 11.5 6.486", daemon)
        }
    }

    @Test("a program that is not declared opens a prompt with the name of its executable")
    func undeclared() async throws {
        try await GPSDPort.run(clients: [], isReal: true) { daemon, port, _ in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let child = try await ChildProcess(["/usr/bin/gpspipe", "-w", "127.0.0.1:\(port)"])
            let prompt = try await daemon.prompt(agent)
            #expect(prompt["displayName"] == .string("gpspipe"))
            try await daemon.decide("allowWhileUsing", prompt, agent)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            // The first report may be that of the fix: the decision takes less than a second.
            while !(try #require(await child.output.receive())).contains("\"lat\"") {}
            try await daemon.wait(
                for: "the end of the connection", after: { child.signal(SIGKILL) },
                until: { core in core.table.connections.values.allSatisfy { $0.frontEnd != .gpsd } })
            await agent.close()
        }
    }

    @Test("another program with the same connection is refused")
    func inherited() async throws {
        // A declared program's path does not help a program that holds a socket together with it.
        let script = """
            import os, socket, sys, time
            s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            s.set_inheritable(True)
            if os.fork() == 0:
                os.execv("/usr/bin/sleep", ["sleep", "60"])
            while os.readlink("/proc/%d/exe" % int(open("/proc/self/task/%d/children" % os.getpid()).read())) \
                    == os.readlink("/proc/self/exe"): pass
            s.sendall(b'?WATCH={"enable":true,"json":true}')
            for line in s.makefile():
                if "TPV" in line: print(line.strip(), flush=True)
            """
        try await GPSDPort.run(clients: [Self.declared("/usr/bin/python3")], isReal: true) { daemon, port, _ in
            let child = try await ChildProcess(["/usr/bin/python3", "-c", script, "\(port)"])
            #expect(try await child.output.receive()?.withoutPadding == GPSDPort.noFix)
            let line = try await daemon.log.line(containing: "gets no location")
            #expect(line.contains("several programs hold it"))
            child.signal(SIGKILL)
        }
    }
}
