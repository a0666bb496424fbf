import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

/// What a machine runs out of, and what becomes of those who have what they need.
@Suite("Faults", .timeLimit(.minutes(10)))
struct FaultTests {
    @Test(
        "without free descriptors present clients are served, new ones wait, and a reserve remains",
        .enabled("needs prlimit(1)") { (try? await ChildProcess.run(["prlimit", "--version"]).code) == 0 })
    func descriptors() async throws {
        let daemon = try await DaemonSite().start(wrapper: ["prlimit", "--nofile=64:64"])
        let subscriber = try await daemon.site.subscribe()
        var crowd: [Wire] = []
        for _ in 0..<100 { crowd.append(try await Wire.connect(to: daemon.site.socket)) }
        _ = try await daemon.log(containing: "Cannot accept connections: the limit of open files is near")
        // As many as were let in, which asked nothing yet, are as good as the first.
        await crowd[0].call("Authorization.GetStatus")
        #expect(try await crowd[0].reply(AuthorizationInterface.GetStatus.Reply.self).error == nil)
        try await subscriber.expectWhole(locations: 20)
        // Reading the configuration takes descriptors, too.
        try daemon.site.declare("org.example.More", executable: "/nowhere")
        daemon.process.signal(SIGHUP)
        _ = try await daemon.log(containing: "all of it is in force")
        #expect(try ProcessUsage.descriptors(of: daemon.process.processID) < 56)

        // Those at the end of the queue get in as the others leave, and are who they are.
        for wire in crowd.dropLast() { await wire.close() }
        await crowd[99].call("Authorization.GetStatus")
        #expect(try await crowd[99].reply(AuthorizationInterface.GetStatus.Reply.self).parameters?.client != nil)
        await crowd[99].close()
        try await daemon.site.status("two connections") { $0.connections! <= 2 }
        try await subscriber.expectWhole(locations: 20)
        let (code, log) = try await daemon.stop()
        #expect(code == 0)
        #expect(!log.contains("Refused a connection"))
    }

    @Test(
        "near the limit of descriptors, short connections do not use up the reserve",
        .enabled("needs prlimit(1)") { (try? await ChildProcess.run(["prlimit", "--version"]).code) == 0 })
    func churnKeepsDescriptorReserve() async throws {
        let daemon = try await DaemonSite().start(wrapper: ["prlimit", "--nofile=64:64"])
        let subscriber = try await daemon.site.subscribe()
        var crowd: [Wire] = []
        for _ in 0..<150 { crowd.append(try await Wire.connect(to: daemon.site.socket)) }
        _ = try await daemon.log(containing: "Cannot accept connections: the limit of open files is near")
        for number in 0..<24 {
            await crowd[number].close()
            // Time for more to be let in.
            try await subscriber.expectWhole(locations: 4)
            #expect(try ProcessUsage.descriptors(of: daemon.process.processID) < 56)
        }
        for wire in crowd { await wire.close() }
        try await daemon.site.status("two connections") { $0.connections! <= 2 }
        let (code, log) = try await daemon.stop()
        #expect(code == 0)
        #expect(!log.contains("Refused a connection"))
    }

    /// Opens connections of users in turn, and prints a line when all are open.
    private static let crowd = #"""
        use Socket; my ($path, $count, @users) = @ARGV; $| = 1; my @open;
        for my $number (0 .. $count - 1) {
            $> = $users[$number % @users];
            socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
            connect($s, sockaddr_un($path)) or die "connect: $!";
            $> = 0; push @open, $s;
        }
        print "open\n"; sleep;
        """#

    @Test(
        "with 256 files, crowds of users do not keep an administrator waiting, and each user has a share",
        .enabled("needs root and prlimit(1)") {
            guard geteuid() == 0 else { return false }
            return (try? await ChildProcess.run(["prlimit", "--version"]).code) == 0
        }, arguments: [[20_001], [20_001, 20_002, 20_003, 20_004, 20_005]])
    func fewDescriptors(users: [Int]) async throws {
        let daemon = try await DaemonSite().start(wrapper: ["prlimit", "--nofile=256:256"])
        chmod(daemon.site.directory.path, 0o711)
        let subscriber = try await daemon.site.subscribe()
        let crowd = try await ChildProcess(
            ["perl", "-e", Self.crowd, daemon.site.socket, "600"] + users.map { "\($0)" })
        #expect(try await crowd.output.receive() == "open")
        // Administrators come in behind the crowd, and are served while it stays.
        for _ in 0..<8 {
            let administrator = try await Wire.connect(to: daemon.site.socket)
            // The connection of the one before may be counted for a moment.
            try await administrator.status("each user's share") { $0.connections! <= 2 + users.count * 48 }
            await administrator.close()
        }
        try await subscriber.expectWhole(locations: 10)
        #expect(try ProcessUsage.descriptors(of: daemon.process.processID) < 256 - 24)
        crowd.signal(SIGKILL)
        try await daemon.site.status("two connections") { $0.connections! <= 2 }
        let (code, log) = try await daemon.stop()
        #expect(code == 0)
        #expect(!log.contains("Cannot accept connections"))
    }

    @Test("a storm of connections that close at once leaves nothing behind")
    func storm() async throws {
        try await DaemonSite.run { daemon in
            let subscriber = try await daemon.site.subscribe()
            // The kernel's queue may be full for a while.
            let observer = try await Wire.connect(to: daemon.site.socket)
            _ = try await observer.status()
            let before = try ProcessUsage.descriptors(of: daemon.process.processID)
            async let whole: Void = subscriber.expectWhole(locations: 40)
            let storm = try await ChildProcess.run(["perl", "-e", Self.storm, daemon.site.socket, "5000"])
            #expect(storm.code == 0, "\(storm.errors)")
            try await whole
            try await observer.status("two connections") { $0.connections! <= 2 }
            #expect(try await observer.status().subscriptions == 1)
            try await observer.descriptors(of: daemon.process.processID, atMost: before)
        }
    }

    @Test(
        "on a full disk locations continue, decisions that cannot be saved are refused, and a denial counts anyway",
        .enabled("needs the right to mount, and unshare(1)") {
            (try? await ChildProcess.run(["unshare", "--mount", "true"]).code) == 0
        })
    func fullDisk() async throws {
        let site = try DaemonSite()
        let state = site.directory.path + "/state"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        try site.declare("org.example.Other", executable: "/nowhere", policy: [:])
        let mounting = ["mount", "-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs", state]
        #expect(try await ChildProcess.run(mounting).code == 0)
        defer { umount2(state, Int32(MNT_DETACH)) }
        let daemon = try await site.start(state: state)
        let subscriber = try await site.subscribe()
        #expect(try await site.locationctl("allow", "--always", "org.example.Other").code == 0)
        let filler = state + "/filler"
        let file = open(filler, O_WRONLY | O_CREAT, 0o600)
        try #require(file >= 0)
        while write(file, [UInt8](repeating: 1, count: 4096), 4096) > 0 {}
        close(file)
        // Until what the database has in hand is used up.
        var reset = try await site.locationctl("reset", "org.example.Other")
        for _ in 0..<500 where reset.code == 0 {
            _ = try await site.locationctl("allow", "--always", "org.example.Other")
            reset = try await site.locationctl("reset", "org.example.Other")
        }
        #expect(reset.code == 1)
        #expect(reset.errors.contains("Nothing has changed"), "\(reset)")
        let denial = try await site.locationctl("deny", "org.example.Other")
        #expect(denial.code == 1)
        #expect(denial.errors.contains("until locationd restarts"), "\(denial)")
        try await subscriber.expectWhole(locations: 20)
        unlink(filler)
        #expect(try await site.locationctl("allow", "--always", "org.example.Other").code == 0)
        #expect(try await daemon.stop().code == 0)
    }

    /// A program that opens connections and closes them at once, some after a call and some within one.
    private static let storm = #"""
        use Socket; my ($path, $count) = @ARGV; $SIG{PIPE} = "IGNORE";
        my @texts = ("{\"method\":\"org.locationd.Location.Subscribe\",\"more\":true}\0", "{\"method", "");
        for my $number (0 .. $count - 1) {
            socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
            connect($s, sockaddr_un($path)) or die "connect: $!";
            syswrite $s, $texts[$number % 3];
        }
        """#

    @Test("what the daemon stores for a client that reads nothing is bounded")
    func deafClients() async throws {
        try await DaemonSite.run { daemon in
            let process = daemon.process.processID
            // The longest answer there is, asked for as often as the limit allows; and streams.
            let long =
                #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":"#
                + #"{"interface":"org.locationd.Location"}}"# + "\0"
            let stream = #"{"method":"org.locationd.Location.Subscribe","more":true}"# + "\0"
            let clients = 200
            let before = try ProcessUsage(of: process).residentSize
            var deaf: [Wire] = []
            for number in 0..<clients {
                let wire = try await Wire.connect(to: daemon.site.socket)
                await wire.send(number % 2 == 0 ? String(repeating: long, count: 60) : stream)
                deaf.append(wire)
            }
            let subscriber = try await daemon.site.subscribe()
            try await subscriber.expectWhole(locations: 200)
            let each = (try ProcessUsage(of: process).residentSize - before) / clients
            #expect(each < 64, "KiB for each that does not read")
            try await daemon.site.status("all connections") { $0.connections == clients + 2 }
            for wire in deaf { await wire.close() }
            try await daemon.site.status("two connections") { $0.connections! <= 2 }
        }
    }
}
