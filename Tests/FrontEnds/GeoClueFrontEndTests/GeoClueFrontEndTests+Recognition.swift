import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import TestSupport
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

// Tests of which programs are which clients.

extension GeoClueFrontEndTests {
    @Test("an undeclared program is one program under all its names, for prompts, denials and grants")
    func undeclared() async throws {
        try await Self.run(clients: []) { daemon, bus in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await BusClient(bus.address)
            func start(_ name: String) async throws -> BusClient.Reply {
                let client = try await program.client("CreateClient")
                _ = try await program.set("DesktopId", .text(name), of: client)
                return try await program.start(client)
            }
            async let first = start("org.example.Map")
            let prompt = try await daemon.prompt(agent)
            async let second = start("org.gnome.Maps")
            async let third = start("")
            try await daemon.ensure(requests: 3)
            #expect(try await daemon.prompts(agent) == [prompt])
            #expect(prompt["client"] == .string(Self.identifier))
            let name = BusUnderTest.ownExecutable.split(separator: "/").last ?? ""
            #expect(prompt["displayName"] == .string("\(name)"))
            #expect(prompt["executable"] == .string(Self.identifier))
            #expect(
                prompt["usageDescription"]
                    == .string(
                        "It calls itself org.example.Map and gives no reason. Your answer counts for everything that "
                            + "\(name) runs."))

            // Denied, it is not asked about under any other name.
            try await daemon.decide("dontAllow", prompt, agent)
            #expect(try await first.error == "AccessDenied")
            #expect(try await second.error == "AccessDenied")
            #expect(try await third.error == "AccessDenied")
            for number in 1...40 { #expect(try await start("org.example.Other\(number)").error == "AccessDenied") }
            #expect(try await daemon.prompts(agent).isEmpty)

            // Until the decision is reset.
            let user = #""userID":\#(getuid())"#
            let reset = try await agent.ask(
                "Manager.SetAuthorization",
                #"{"client":"\#(Self.identifier)",\#(user),"authorization":"notDetermined"}"#)
            #expect(reset["error"] == nil, "\(reset)")
            async let again = start("org.example.Weather")
            let next = try await daemon.prompt(agent)
            #expect("\(next)".contains("It calls itself org.example.Weather"), "\(next)")
            try await daemon.decide("allowWhileUsing", next, agent)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await again.error == nil)
            #expect(try await start("org.example.Map").error == nil)
            try await program.close()
            await agent.close()
        }
    }

    @Test("an object that sets another DesktopId has a prompt with that one, and the prompt of the first is withdrawn")
    func otherName() async throws {
        try await Self.run(clients: []) { daemon, bus in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text("org.example.First"), of: client)
            async let first = program.start(client)
            let prompt = try await daemon.prompt(agent)
            #expect("\(prompt)".contains("It calls itself org.example.First"))
            try await daemon.wait(requests: 0) { _ = try await program.stop(client) }
            _ = try await first
            #expect(try await daemon.prompts(agent).isEmpty)
            _ = try await program.set("DesktopId", .text("org.example.Second"), of: client)
            async let second = program.start(client)
            let next = try await daemon.prompt(agent)
            #expect("\(next)".contains("It calls itself org.example.Second"), "\(next)")
            try await daemon.decide("dontAllow", next, agent)
            #expect(try await second.error == "AccessDenied")
            try await program.close()
            await agent.close()
        }
    }

    @Test(
        "a claim of another application is another client for the desktop, and the answer about the first does not count"
    )
    func otherApplication() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(clients: []) { daemon, bus in
            try await daemon.reload { $0.clients = [Self.declared(claiming: application)] }
            let root = try await daemon.connect(as: .example(nil, user: 0))
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let asked = Asked()
            try await shell.serveAgent(level: { 8 }, isAllowed: { asked.note($0) })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text(application), of: client)
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await reply.error == nil)
            _ = try await program.stop(client)
            _ = try await program.set("DesktopId", .text("org.example.Other"), of: client)
            async let other = program.start(client)
            let prompt = try await daemon.prompt(root)
            #expect(prompt["client"] == .string(Self.identifier))
            try await daemon.decide("dontAllow", prompt, root)
            #expect(try await other.error == "AccessDenied")
            #expect(asked.applications == [application])
            try await shell.close()
            try await program.close()
            await root.close()
        }
    }

    @Test("the desktop's decisions do not apply to an undeclared program that claims an installed application")
    func claimedApplication() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(clients: []) { daemon, bus in
            let root = try await daemon.connect(as: .example(nil, user: 0))
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let asked = Asked()
            try await shell.serveAgent(level: { 8 }, isAllowed: { asked.note($0) })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text(application), of: client)
            async let reply = program.start(client)
            let prompt = try await daemon.prompt(root)
            #expect(prompt["client"] == .string(Self.identifier))
            #expect(prompt["application"] == nil)
            try await daemon.decide("dontAllow", prompt, root)
            #expect(try await reply.error == "AccessDenied")
            #expect(asked.applications == [])
            try await shell.close()
            try await program.close()
            await root.close()
        }
    }

    @Test("a decision by command replaces the desktop's, which is not requested again")
    func commandReplacesDesktop() async throws {
        let application = try #require(InstalledApplications.anyID)
        try await Self.run(clients: []) { daemon, bus in
            try await daemon.reload { $0.clients = [Self.declared(claiming: application)] }
            let root = try await daemon.connect(as: .example(nil, user: 0))
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let asked = Asked()
            try await shell.serveAgent(level: { 8 }, isAllowed: { asked.note($0) })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text(application), of: client)
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            #expect(try await reply.error == nil)
            #expect(asked.applications == [application])

            // The desktop is asked at each start.
            _ = try await program.stop(client)
            #expect(try await program.start(client).error == nil)
            #expect(asked.applications == [application, application])

            // The same decision by command, and then another.
            for decision in ["authorizedWhenInUse", "denied", "authorizedWhenInUse"] {
                _ = try await program.stop(client)
                let decided = try await root.ask(
                    "Manager.SetAuthorization",
                    #"{"client":"org.example.App","userID":\#(getuid()),"authorization":"\#(decision)"}"#)
                #expect(decided["error"] == nil, "\(decided)")
                #expect((try await program.start(client).error == nil) == (decision != "denied"))
                #expect(asked.applications.count == 2, "\(decision)")
            }
            try await shell.close()
            try await program.close()
            await root.close()
        }
    }

    @Test("a claim makes no program a declared client")
    func claims() async throws {
        try await Self.run(clients: []) { daemon, bus in
            var match = ClientMatch()
            match.desktopID = "org.gnome.Maps"
            match.executable = "/usr/bin/gjs-console"
            var declaration = ClientDeclaration(identifier: "org.gnome.Maps", match: match, file: "/maps.plist")
            declaration.policy.presetAuthorization = .always
            try await daemon.reload { [declaration] in $0.clients = [declaration] }
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            _ = try await program.set("DesktopId", .text("org.gnome.Maps"), of: client)
            async let reply = program.start(client)
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let prompt = try await daemon.prompt(agent)
            #expect(prompt["client"] == .string(Self.identifier))
            try await daemon.decide("dontAllow", prompt, agent)
            #expect(try await reply.error == "AccessDenied")
            try await program.close()
            await agent.close()
        }
    }

    @Test(
        "while declarations cannot be read, an undeclared program gets nothing, because a declaration may restrict it")
    func undeclaredProgramGetsNothingWhileDeclarationsAreUnknown() async throws {
        try await Self.run(clients: []) { daemon, bus in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await BusClient(bus.address)
            let client = try await program.client("CreateClient")
            _ = try await program.set("DesktopId", .text("org.example.Map"), of: client)
            try await daemon.reload { $0.areClientsKnown = false }
            #expect(try await program.start(client).error == "AccessDenied")
            // Nobody was asked: the first prompt comes when they are known.
            try await daemon.reload { $0.areClientsKnown = true }
            async let reply = program.start(client)
            let prompt = try await daemon.prompt(agent)
            try await daemon.decide("dontAllow", prompt, agent)
            #expect(try await reply.error == "AccessDenied")
            try await program.close()
            await agent.close()
        }
    }

    /// A program that gets a client object, leaves its connection to a child, and ends. The child then asks for one, too.
    private static let leaving = #"""
        use Socket; $| = 1; my ($path, $go) = @ARGV;
        socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($path)) or die;
        syswrite $s, "\0AUTH EXTERNAL " . unpack("H*", $<) . "\r\n"; sysread $s, $_, 1024; syswrite $s, "BEGIN\r\n";
        my $serial = 0;
        # The D-Bus specification, Message Format: a call without arguments.
        sub call { my ($destination, $path, $interface, $member) = @_;
            my $fields = "";
            for ([1, "o", $path], [2, "s", $interface], [3, "s", $member], [6, "s", $destination]) {
                my ($code, $type, $text) = @$_;
                $fields .= "\0" x (-length($fields) % 8) . pack("CCa1xVa*x", $code, 1, $type, length $text, $text);
            }
            my $message = pack("a1CCCVVV", "l", 1, 0, 1, 0, ++$serial, length $fields) . $fields;
            syswrite $s, $message . "\0" x (-length($message) % 8);
        }
        sub manager { call("org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Manager",
            "org.freedesktop.GeoClue2.Manager", "GetClient") }
        # What the answer is, as a word.
        sub answer { my $all = "";
            while (sysread $s, my $more, 65536) {
                $all .= $more;
                return "client\n" if $all =~ m{/org/freedesktop/GeoClue2/Client/\d};
                return "$1\n" if $all =~ /org\.freedesktop\.DBus\.Error\.(\w+)/;
            }
            return "closed\n";
        }
        call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello");
        manager(); print answer();
        exit if fork;
        # Waits for a writer.
        open my $opened, "<", $go or die;
        manager(); print answer();
        """#

    @Test("a child with the connection of a program that has ended is refused")
    func leftToChild() async throws {
        let perl = try #require(
            realpath("/usr/bin/perl", nil).map { path in
                defer { free(path) }
                return String(cString: path)
            })
        try await Self.run(clients: [.example(executable: perl)]) { daemon, bus in
            let go = daemon.directory.path + "/go"
            #expect(mkfifo(go, 0o600) == 0)
            let program = try await daemon.wait(
                for: "the end of the program",
                after: {
                    let program = try await ChildProcess([
                        "/usr/bin/perl", "-e", Self.leaving, String(bus.address.dropFirst("unix:path=".count)), go,
                    ])
                    #expect(try await program.output.receive() == "client")
                    #expect(try await program.exitCode() == 0)
                    return program
                },
                until: { $0.frontEnds.contains { ($0 as? GeoClueFrontEnd)?.orphans.isEmpty == false } })
            let writer = open(go, O_RDWR)
            defer { close(writer) }
            #expect(try await program.output.receive() == "AccessDenied")
        }
    }
}
