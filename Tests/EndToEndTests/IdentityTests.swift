import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Who is asking is the kernel's word.
@Suite("Real peers", .timeLimit(.minutes(5)))
struct IdentityTests {
    @Test func aCopyElsewhereIsNobody() async throws {
        try await DaemonSite.run { daemon in
            let copy = daemon.site.directory.path + "/copy"
            try FileManager.default.copyItem(atPath: Products.locationctl, toPath: copy)
            let result = try await ChildProcess.run([copy, "get", "--socket", daemon.site.socket])
            #expect(result.code == 77)
            #expect(result.output == "")
            #expect(result.errors.contains("Executable \(copy)"), "it is told what to write")
        }
    }

    /// Connects, is looked at, and then has another program use the connection.
    private static let handing = #"""
        use Socket; use Fcntl; my ($path, $how, $declared) = @ARGV; $| = 1;
        socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($path)) or die;
        fcntl($s, F_SETFD, 0);
        my $ask = q{ my $s = IO::Handle->new_from_fd($ARGV[0], "r+"); local $/ = "\0";
            syswrite $s, "{\"method\":\"org.locationd.Authorization.GetStatus\"}\0"; print scalar(<$s>), "\n"; };
        my @program = ("-MIO::Handle", "-e", $ask, fileno $s);
        system $^X, @program;
        # It becomes the other program, or the other program is a process of its own.
        if ($how eq "become") { exec $declared, @program } else { system $declared, @program }
        """#

    @Test("a connection is whose it was when it was made, whoever has it then", arguments: ["become", "give"])
    func handedOn(how: String) async throws {
        try await DaemonSite.run { daemon in
            let directory = daemon.site.directory.path
            for name in ["declared", "undeclared"] {
                try FileManager.default.copyItem(atPath: "/usr/bin/perl", toPath: directory + "/" + name)
            }
            try daemon.site.declare("org.example.Declared", executable: directory + "/declared")
            #expect(try await daemon.site.locationctl("config", "reload").code == 0)
            func replies(to program: String) async throws -> [Substring] {
                let result = try await ChildProcess.run([
                    directory + "/" + program, "-e", Self.handing, daemon.site.socket, how, directory + "/declared",
                ])
                return result.output.split(separator: "\n")
            }
            let honest = try await replies(to: "declared")
            #expect(honest.count == 2)
            #expect(honest.allSatisfy { $0.contains(#""client":"org.example.Declared""#) })
            let handed = try await replies(to: "undeclared")
            #expect(handed.count == 2)
            #expect(handed.allSatisfy { $0.contains("Authorization.ClientNotDeclared") }, "\(handed)")
        }
    }

    @Test("a program that was replaced while it runs is nobody")
    func replaced() async throws {
        try await DaemonSite.run { daemon in
            let program = daemon.site.directory.path + "/program"
            try FileManager.default.copyItem(atPath: Products.locationctl, toPath: program)
            try daemon.site.declare("org.example.Program", executable: program)
            #expect(try await daemon.site.locationctl("config", "reload").code == 0)
            let get = [program, "get", "--socket", daemon.site.socket]
            #expect(try await ChildProcess.run(get).code == 0)
            let unlinked = try await ChildProcess.run(["perl", "-e", Self.unlinkingExec] + get)
            #expect(unlinked.code == 77)
            #expect(unlinked.output == "")
            #expect(unlinked.errors.contains("cannot be recognised by its executable"))
        }
    }

    @Test(
        "a process that has no number where the service is, is nobody",
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
        "a program that puts itself at a declared path in a mount namespace of its own is nobody",
        .enabled("needs the right to make mount namespaces, and unshare(1)") {
            (try? await ChildProcess.run(["unshare", "--mount", "true"]).code) == 0
        })
    func mountNamespace() async throws {
        try await DaemonSite.run { daemon in
            let (declared, impostor) = (
                daemon.site.directory.path + "/declared", daemon.site.directory.path + "/impostor"
            )
            for path in [declared, impostor] {
                try FileManager.default.copyItem(atPath: Products.locationctl, toPath: path)
            }
            try daemon.site.declare("org.example.Declared", executable: declared)
            #expect(try await daemon.site.locationctl("config", "reload").code == 0)
            let script = #"mount --bind "$1" "$0" && exec "$0" get --socket "$2""#
            let inNamespace = ["unshare", "--mount", "/bin/sh", "-c"]
            // The namespace alone changes nothing.
            let honest = try await ChildProcess.run(inNamespace + [script, declared, declared, daemon.site.socket])
            #expect(honest.code == 0, "\(honest.errors)")
            let result = try await ChildProcess.run(inNamespace + [script, declared, impostor, daemon.site.socket])
            #expect(result.code == 77)
            #expect(result.output == "")
            #expect(result.errors.contains("cannot be recognised by its executable"))
        }
    }
}
