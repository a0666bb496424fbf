import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// A process id is a number that the next process may have: nobody gets another's identity by it, or its location.
///
/// The daemon and its clients run in a pid namespace of their own, in which the test chooses the next id.
@Suite(
    "Process ids that are used again", .timeLimit(.minutes(10)),
    .enabled("needs the right to make pid namespaces, unshare(1) and a kernel that lets the next id be chosen") {
        (try? await ChildProcess.run(
            ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", "echo 99 > /proc/sys/kernel/ns_last_pid"]
        ).code) == 0
    })
struct ReusedProcessTests {
    /// The first process of the namespace: starts the daemon, then makes processes with ids of its choice, and says what
    /// they were told.
    private static let driver = #"""
        use strict; use Socket; use POSIX ();
        my ($directory, @daemon) = @ARGV; my $socket = "$directory/socket"; $| = 1;
        my $daemon = fork // die; if (!$daemon) { exec @daemon or die }
        sub wait_a_little { select undef, undef, undef, 0.02 }
        wait_a_little until -S $socket;

        # The next process has this id. Threads have ids, too: one may have been taken in between.
        sub with_id { my ($id, $body) = @_;
            for (1 .. 50) {
                open(my $file, ">", "/proc/sys/kernel/ns_last_pid") or die; syswrite($file, $id - 1); close $file;
                my $process = fork // die; if (!$process) { $body->() if $$ == $id; POSIX::_exit(0) }
                return $process if $process == $id;
                waitpid $process, 0;
            }
            die "$id is taken";
        }
        my $client = q{
            use Socket; my ($path, $leaves) = @ARGV; local $/ = "\0"; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die;
            connect($s, sockaddr_un($path)) or die;
            syswrite $s, "{\"method\":\"org.locationd.Location.GetLocation\"}\0";
            if (!$leaves) { my $reply = <$s>; print "$reply\n" }
        };
        sub run { my ($program, @rest) = @_;
            return sub { exec "$directory/$program", "-e", $client, $socket, @rest or POSIX::_exit(1) };
        }

        # Somebody who has locations all the time, so that there is a fresh one.
        my $watcher = fork // die;
        if (!$watcher) { exec "$directory/declared", "-e", q{
            use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])) or die;
            syswrite $s, "{\"method\":\"org.locationd.Location.Subscribe\",\"more\":true}\0"; 1 while sysread $s, $_, 65536;
        }, $socket or die }

        # Two programs take turns with the same id; every third is gone before it has its answer.
        for my $number (0 .. 199) {
            my $program = $number % 2 ? "declared" : "undeclared";
            print "$program " unless $number % 3 == 2;
            waitpid with_id(3000, run($program, $number % 3 == 2 ? "leaves" : ())), 0;
        }

        # One that connects and dies, and leaves its connection to somebody else; before the daemon has looked at it, a
        # declared program has the id.
        for (1 .. 20) {
            kill STOP => $daemon;
            socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die;
            waitpid with_id(4000, sub { connect($s, sockaddr_un($socket)) or die }), 0;
            my $honest = with_id(4000, sub { exec "$directory/declared", "-e", "sleep" });
            kill CONT => $daemon;
            syswrite $s, "{\"method\":\"org.locationd.Location.GetLocation\"}\0";
            local $/ = "\0"; my $reply = <$s>; print "stolen $reply\n";
            kill KILL => $honest; waitpid $honest, 0;
        }
        kill TERM => $daemon; waitpid $daemon, 0; print "ended $?\n";
        kill KILL => $watcher;
        """#

    @Test func everyoneIsWhoTheyAre() async throws {
        let site = try DaemonSite()
        let directory = site.directory.path
        for name in ["declared", "undeclared"] {
            try await ProgramFile.copy("/usr/bin/perl", to: directory + "/" + name)
        }
        try site.declare("org.example.Declared", executable: directory + "/declared")
        let result = try await ChildProcess.run([
            "unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "perl", "-e", Self.driver, directory,
            Products.locationd, "--config", site.configuration, "--socket", site.socket, "--state-directory",
            directory, "--replay", site.track,
        ])
        #expect(result.code == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        func replies(_ kind: String) -> [Substring] { lines.filter { $0.hasPrefix(kind + " ") } }
        let (declared, undeclared, stolen) = (replies("declared"), replies("undeclared"), replies("stolen"))
        #expect(declared.count > 60)
        for reply in declared { #expect(reply.contains(#""latitude":"#)) }
        #expect(undeclared.count > 60)
        for reply in undeclared {
            #expect(reply.contains("Authorization.ClientNotDeclared") && reply.contains(directory + "/undeclared"))
        }
        #expect(stolen.count == 20)
        // The connection may be closed before the call, which then has no answer.
        for reply in stolen { #expect(reply == "stolen " || reply.contains("org.varlink.service.PermissionDenied")) }
        #expect(lines.last == "ended 0")
    }
}
