import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Who is asking is the kernel's word.
@Suite("Real peers", .timeLimit(.minutes(10)))
struct IdentityTests {
    @Test func aCopyElsewhereIsNobody() async throws {
        try await DaemonSite.run { daemon in
            let copy = daemon.site.directory.path + "/copy"
            try await ProgramFile.copy(Products.locationctl, to: copy)
            let result = try await ChildProcess.run([copy, "get", "--socket", daemon.site.socket])
            #expect(result.code == 77)
            #expect(result.output == "")
            #expect(result.errors.contains("clients add --executable \(copy) "), "it is told what declares it")
        }
    }

    /// Connects, asks, and then has another program use the connection.
    private static let handing = #"""
        use Socket; use Fcntl; my ($path, $how, $declared) = @ARGV; $| = 1;
        socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($path)) or die;
        fcntl($s, F_SETFD, 0);
        my $ask = q{ open(my $s, "+<&", $ARGV[0]); local $/ = "\0"; $| = 1;
            syswrite $s, "{\"method\":\"org.locationd.Authorization.GetStatus\"}\0"; print scalar(<$s>), "\n"; };
        my @program = ("-e", $ask, fileno $s);
        { local @ARGV = (fileno $s); eval $ask; }
        # It becomes the other program, or the other program is a process of its own.
        if ($how eq "become") { exec $declared, @program } else { system $declared, @program }
        """#

    @Test(
        "a connection belongs to the process that opened it, and no other process can use it",
        arguments: ["become", "give"])
    func handedOn(how: String) async throws {
        try await DaemonSite.run { daemon in
            let directory = daemon.site.directory.path
            for name in ["declared", "undeclared"] {
                try await ProgramFile.copy("/usr/bin/perl", to: directory + "/" + name)
            }
            try daemon.site.declare("org.example.Declared", executable: directory + "/declared")
            #expect(try await daemon.site.locationctl("config", "reload").code == 0)
            func replies(to program: String) async throws -> [Substring] {
                let result = try await ChildProcess.run([
                    directory + "/" + program, "-e", Self.handing, daemon.site.socket, how, directory + "/declared",
                ])
                return result.output.split(separator: "\n")
            }
            let count = how == "become" ? 2 : 1
            let honest = try await replies(to: "declared")
            #expect(honest.count == count)
            #expect(honest.allSatisfy { $0.contains(#""client":"org.example.Declared""#) })
            let handed = try await replies(to: "undeclared")
            #expect(handed.count == count)
            #expect(handed.allSatisfy { $0.contains("Authorization.ClientNotDeclared") }, "\(handed)")
        }
    }

    /// Switches location services off.
    private static let switching = #"""
        use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($ARGV[0])) or die;
        syswrite $s, "{\"method\":\"org.locationd.Manager.SetEnabled\",\"parameters\":{\"isEnabled\":false}}\0";
        local $/ = "\0"; print scalar(<$s>);
        """#

    /// Connects, leaves the connection to a child, and becomes the declared program; the child then switches location services
    /// off.
    private static let leaving = #"""
        use Socket; use IO::Handle; my ($path, $declared) = @ARGV; $| = 1;
        socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($path)) or die;
        my $parent = $$;
        exec $declared, "-e", "sleep 1000" if fork;
        1 until readlink("/proc/$parent/exe") eq $declared;
        syswrite $s, "{\"method\":\"org.locationd.Manager.SetEnabled\",\"parameters\":{\"isEnabled\":false}}\0";
        print "asked\n"; local $/ = "\0"; print "answer: ", scalar(<$s>) // "", "\n"; kill 9, $parent;
        """#

    @Test("a call on a connection left to a child before its program became a declared one has no effect")
    func left() async throws {
        try await DaemonSite.run { daemon in
            let declared = daemon.site.directory.path + "/declared"
            try await ProgramFile.copy("/usr/bin/perl", to: declared)
            try daemon.site.configure(agents: declared)
            #expect(try await daemon.site.locationctl("config", "reload").code == 0)
            // So that it looks only when the other has become what it wants to be: otherwise that takes luck.
            daemon.process.signal(SIGSTOP)
            let thief = try await ChildProcess(["perl", "-e", Self.leaving, daemon.site.socket, declared])
            #expect(try await thief.output.receive() == "asked")
            daemon.process.signal(SIGCONT)
            #expect(try await thief.output.receive() == "answer: ")
            _ = try await daemon.log(containing: "has written to it.")
            #expect(try await daemon.site.locationctl("get").code == 0)
            // The program that it became may do so.
            let honest = try await ChildProcess.run([declared, "-e", Self.switching, daemon.site.socket])
            #expect(honest.output.hasPrefix(#"{"parameters":{}}"#))
            #expect(try await daemon.site.locationctl("get").code != 0)
        }
    }

    /// Linux does not show it, and so the threat model and locationd.plist(5) say it.
    @Test(
        "a program of the same user that makes the kernel report another file is taken for that file: no promise is made",
        .enabled("needs the right to make user namespaces, and unshare(1)") {
            (try? await ChildProcess.run(["unshare", "--user", "true"]).code) == 0
        })
    func renamed() async throws {
        try await DaemonSite.run { daemon in
            func answer(to path: String) async throws -> String {
                try await ChildProcess.run([Products.impostor, path, daemon.site.socket]).output
            }
            let (declared, undeclared) = (try await answer(to: Products.locationctl), try await answer(to: "/bin/true"))
            #expect(declared.contains(#""client":"org.locationd.locationctl""#))
            #expect(undeclared.contains("ClientNotDeclared"))
        }
    }

    @Test(
        "a file system that does not answer delays no other client",
        .enabled("needs FUSE") { access("/dev/fuse", W_OK) == 0 && getuid() == 0 }, arguments: [false, true])
    func hangingFileSystem(isDeclared: Bool) async throws {
        try await DaemonSite.run { daemon in
            let mount = daemon.site.directory.path + "/mount"
            try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
            if isDeclared { try daemon.site.declare("org.example.Hanging", executable: mount + "/program") }
            #expect(try await daemon.site.locationctl("config", "reload").code == 0)
            let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "Python/hanging_files.py"
            ).path
            let files = try await ChildProcess(["python3", script, mount, "/usr/bin/perl"])
            #expect(try await files.output.receive() == "ready")
            let hanging = try await ChildProcess([mount + "/program", "-e", Self.waiting, daemon.site.socket])
            #expect(try await hanging.output.receive() == "running")
            files.signal(SIGUSR1)
            #expect(try await files.output.receive() == "hanging")
            hanging.signal(SIGUSR1)
            #expect(try await hanging.output.receive() == "asked")
            // Others are answered while it waits.
            #expect(try await daemon.site.locationctl("get").code == 0)
            let answer = try await hanging.output.receive() ?? ""
            #expect(answer.contains(isDeclared ? "PermissionDenied" : "ClientNotDeclared"), "\(answer)")
            if isDeclared { _ = try await daemon.log(containing: "did not answer within 2 s") }
            // A thread that got stuck is let go by the end of the file system, which the end of the test waits for.
            files.signal(SIGTERM)
            _ = try await files.exitCode()
        }
    }

    /// Connects and asks when it is told to.
    private static let waiting = #"""
        use Socket; $| = 1; my $told = 0; $SIG{USR1} = sub { $told = 1 }; print "running\n";
        select(undef, undef, undef, 0.05) until $told;
        socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($ARGV[0])) or die;
        syswrite $s, "{\"method\":\"org.locationd.Authorization.GetStatus\"}\0";
        print "asked\n"; local $/ = "\0"; print scalar(<$s>), "\n";
        """#

    @Test("a program whose file was replaced while it runs has no identity")
    func replaced() async throws {
        try await DaemonSite.run { daemon in
            let program = daemon.site.directory.path + "/program"
            try await ProgramFile.copy(Products.locationctl, to: program)
            try daemon.site.declare("org.example.Program", executable: program)
            #expect(try await daemon.site.locationctl("config", "reload").code == 0)
            let get = [program, "get", "--socket", daemon.site.socket]
            #expect(try await ChildProcess.run(get).code == 0)
            let unlinked = try await ChildProcess.run(["perl", "-e", Self.unlinkingExec] + get)
            #expect(unlinked.code == 75)
            #expect(unlinked.output == "")
            #expect(unlinked.errors.contains("cannot be recognised by its executable"))
        }
    }

    @Test(
        "a process without a process id in the service's namespace has no identity",
        .enabled("needs the right to make pid namespaces, and unshare(1)") {
            (try? await ChildProcess.run(["unshare", "--pid", "--fork", "true"]).code) == 0
        })
    func outside() async throws {
        let daemon = try await DaemonSite().start(wrapper: [
            "unshare", "--pid", "--fork", "--mount-proc", "--kill-child",
        ])
        let wire = try await Wire.connect(to: daemon.site.socket)
        #expect(try await wire.reply(ErrorParameters.self).error == "org.varlink.service.PermissionDenied")
        #expect(try await wire.receive() == nil)
        _ = try await daemon.log(containing: "the kernel does not name its process")
        daemon.process.signal(SIGKILL)
    }

    /// Runs a program whose file is gone by the time it runs.
    private static let unlinkingExec =
        #"open(my $f, "<", $ARGV[0]); unlink $ARGV[0]; exec {"/proc/self/fd/" . fileno($f)} @ARGV"#

    @Test(
        "a program in a mount namespace of its own has no identity, also at a declared path",
        .enabled("needs the right to make mount namespaces, and unshare(1)") {
            (try? await ChildProcess.run(["unshare", "--mount", "true"]).code) == 0
        })
    func mountNamespace() async throws {
        try await DaemonSite.run { daemon in
            let (declared, impostor) = (
                daemon.site.directory.path + "/declared", daemon.site.directory.path + "/impostor"
            )
            for path in [declared, impostor] {
                try await ProgramFile.copy(Products.locationctl, to: path)
            }
            try daemon.site.declare("org.example.Declared", executable: declared)
            #expect(try await daemon.site.locationctl("config", "reload").code == 0)
            let script = #"mount --bind "$1" "$0" && exec "$0" get --socket "$2""#
            let inNamespace = ["unshare", "--mount", "/bin/sh", "-c"]
            // The declared program, too: what it loads is decided there.
            for own in [["unshare", "--mount"], ["unshare", "--user", "--map-root-user"]] {
                let result = try await ChildProcess.run(own + [declared, "get", "--socket", daemon.site.socket])
                #expect(result.code == 77)
                #expect(result.output == "")
                #expect(result.errors.contains("cannot be recognised by its executable alone"), "\(result.errors)")
            }
            #expect(try await ChildProcess.run([declared, "get", "--socket", daemon.site.socket]).code == 0)
            let result = try await ChildProcess.run(inNamespace + [script, declared, impostor, daemon.site.socket])
            #expect(result.code == 77)
            #expect(result.output == "")
            #expect(result.errors.contains("cannot be recognised by its executable"))
        }
    }
}
