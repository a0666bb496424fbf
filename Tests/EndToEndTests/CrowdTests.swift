import Glibc
import LocationConfiguration
import LocationInterface
import TestSupport
import Testing

/// What crowds can do, of one user or of many, and what one user can do to the others.
@Suite(
    "Crowds", .serialized, .timeLimit(.minutes(10)),
    .enabled("needs prlimit(1) and a limit of open files above 12,000") {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_max > 12_000 else {
            return false
        }
        return (try? await ChildProcess.run(["prlimit", "--version"]).code) == 0
    })
struct CrowdTests {
    /// What comes before everything that these start: the other tests are to get on meanwhile. With less, a machine that is
    /// busy with something else would leave them nothing.
    private static let humbly = ["nice", "-n", "5"]
    /// The number of connections that all are let in: ten thousand take a minute, so `make test` opens a fifth.
    private static let many = getenv("LOCATIOND_ALL_STATES") == nil ? 2_000 : 10_000
    /// The first of the other users.
    private static let user = 20_001

    /// Whether there can be others than this user; if not, that is said.
    private func isRoot(_ what: String) -> Bool {
        if geteuid() != 0 { print("SKIPPED: \(what) can only be made by root.") }
        return geteuid() == 0
    }

    /// Opens connections and keeps them, of one user or of as many as it is told. Says when it has them all.
    private static let crowd = #"""
        use Socket; use POSIX; my ($path, $count, $first, $users) = @ARGV; $| = 1; my @open;
        for my $number (0 .. $count - 1) {
            $> = $first + $number % $users if $first;
            socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
            connect($s, sockaddr_un($path)) or die "connect: $!";
            $> = 0 if $first;
            push @open, $s;
        }
        print "open\n"; sleep;
        """#

    private func crowd(_ daemon: DaemonProcess, _ count: Int, firstUser: Int = 0, users: Int = 1) async throws
        -> ChildProcess
    {
        let crowd = try await ChildProcess(
            Self.humbly + [
                "prlimit", "--nofile=12000", "perl", "-e", Self.crowd, daemon.site.socket, "\(count)", "\(firstUser)",
                "\(users)",
            ])
        try #require(try await crowd.output.receive() == "open")
        return crowd
    }

    /// A daemon, somebody who has locations, and somebody who looks. The kernel's queue may be full: both have a place.
    private func run(
        _ site: DaemonSite, _ test: (DaemonProcess, _ subscriber: Wire, _ observer: Wire) async throws -> Void
    ) async throws {
        let daemon = try await site.start(wrapper: Self.humbly)
        // Other users pass through the directory.
        chmod(site.directory.path, 0o711)
        let (subscriber, observer) = (try await site.subscribe(), try await Wire.connect(to: site.socket))
        try await test(daemon, subscriber, observer)
        try await observer.status("two connections") { $0.connections! <= 2 }
        try await subscriber.expectWhole(locations: 10)
        #expect(try await daemon.stop().code == 0)
    }

    @Test(
        "thousands of connections are accepted, and their descriptors are released when they close",
        arguments: [1, 500])
    func many(users: Int) async throws {
        guard users == 1 || isRoot("connections of \(users) users") else { return }
        let count = Self.many
        try await run(DaemonSite(["Limits": ["ConnectionsPerUser": 20000]])) {
            daemon, subscriber, observer in
            _ = try await observer.status()
            let before = try ProcessUsage.descriptors(of: daemon.process.processID)
            let crowd = try await crowd(daemon, count, firstUser: users == 1 ? 0 : Self.user, users: users)
            try await observer.status("the whole crowd") { $0.connections! >= count + 2 }
            // One for each, and one to hold the process that has them all.
            #expect(try ProcessUsage.descriptors(of: daemon.process.processID) <= before + count + 1)
            try await subscriber.expectWhole(locations: 10)
            crowd.signal(SIGKILL)
            try await observer.status("two connections") { $0.connections! <= 2 }
            try await observer.descriptors(of: daemon.process.processID, atMost: before)
        }
    }

    @Test("one user's 10,000 connections do not keep other users from connecting")
    func limitOfOneUser() async throws {
        guard isRoot("another user’s connections") else { return }
        try await run(DaemonSite()) { daemon, subscriber, observer in
            let limit = DaemonConfiguration.Limits().connectionsPerUser
            let crowd = try await crowd(daemon, 10_000, firstUser: Self.user)
            // All have been looked at when one that comes after them is answered. It comes as soon as there is room in the
            // kernel's queue.
            var last = try? await Wire.connect(to: daemon.site.socket)
            while last == nil {
                try Task.checkCancellation()
                _ = try await observer.status()
                last = try? await Wire.connect(to: daemon.site.socket)
            }
            let another = try #require(last)
            try await another.subscribe()
            try await observer.status("the limit of connections") { $0.connections == limit + 3 }
            try await another.expectWhole(locations: 10)
            try await subscriber.expectWhole(locations: 10)
            await another.close()
            crowd.signal(SIGKILL)
        }
    }

    /// Has the service hold as much as it can, over as many connections as a user may have: calls of 64 KiB that stay open,
    /// others behind them, answers that are not read, and messages without an end. Where it is refused it begins anew.
    private static let glutton = #"""
        use Socket; use POSIX; use Fcntl; my ($path, $count, $user, $enough) = @ARGV; $| = 1; $SIG{PIPE} = "IGNORE";
        $> = $user;
        my $stream = '{"method":"org.locationd.Location.Subscribe","more":true}';
        my $full = $stream . " " x (65536 - length $stream) . "\0";
        my $long = '{"method":"org.varlink.service.GetInterfaceDescription",'
            . '"parameters":{"interface":"org.locationd.Manager"}}' . "\0";
        my @texts = ($full x 3, "$stream\0" . $full x 2, $long x 60 . $full, $full . " " x 65535);
        my (@open, @left);
        sub begin { my $number = shift;
            socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
            connect($s, sockaddr_un($path)) or die "connect: $!";
            fcntl($s, F_SETFL, O_NONBLOCK) or die;
            ($open[$number], $left[$number]) = ($s, $texts[$number % @texts]);
        }
        begin($_) for 0 .. $count - 1;
        print "open\n";
        my $refused = 0;
        while (1) {
            my $writable = ""; vec($writable, fileno $_, 1) = 1 for @open;
            select undef, $writable, undef, undef;
            for my $number (0 .. $#open) {
                my $sent = syswrite $open[$number], length $left[$number] ? $left[$number] : " ";
                if (defined $sent) { substr($left[$number], 0, $sent) = "" }
                elsif ($! != EAGAIN) { begin($number); print "enough\n" if ++$refused == $enough }
            }
        }
        """#

    @Test("under a memory limit the service survives whatever one user has it store, and serves another")
    func memoryOfOneUser() async throws {
        guard isRoot("another user’s connections") else { return }
        let site = try DaemonSite()
        try site.declare("org.example.Glutton", executable: "/usr/bin/perl")
        try await run(site) { daemon, subscriber, observer in
            let process = daemon.process.processID
            let limits = DaemonConfiguration.Limits()
            // 8 KiB for a connection with all that belongs to it; and a buffer that grows may be twice as large as what is
            // in it.
            let bound = (limits.connectionsPerUser * 8192 + 2 * limits.bytesPerUser) / 1024
            let before = try ProcessUsage(of: process)
            let limited = try await ChildProcess.run([
                "prlimit", "--pid", "\(process)", "--as=\((before.virtualSize + bound) * 1024)",
            ])
            try #require(limited.code == 0, "\(limited.errors)")
            let glutton = try await ChildProcess(
                Self.humbly + [
                    "prlimit", "--nofile=12000", "perl", "-e", Self.glutton, site.socket,
                    "\(limits.connectionsPerUser)",
                    "\(Self.user)", "5000",
                ])
            #expect(try await glutton.output.receive() == "open")
            _ = try await daemon.log(containing: "more than \(limits.bytesPerUser) bytes held")
            try await subscriber.expectWhole(locations: 20)
            #expect(try await glutton.output.receive() == "enough")
            let after = try ProcessUsage(of: process)
            #expect(after.residentSize - before.residentSize < bound, "KiB")
            #expect(after.residentSize - before.residentSize > limits.bytesPerUser / 1024, "or nothing was tried")
            try await subscriber.expectWhole(locations: 20)
            let another = try await site.subscribe()
            try await another.expectWhole(locations: 20)
            await another.close()
            glutton.signal(SIGKILL)
            try await observer.status("two connections") { $0.connections! <= 2 }
            // What it was given is not kept for the next.
            try await observer.status("the return of memory") { _ in
                try ProcessUsage(of: process).residentSize <= before.residentSize + bound / 4
            }
        }
    }
}
