import FoundationEssentials
import Glibc
import PostgreSQL
import TestSupport
import Testing

/// A PostgreSQL of the system's with PostGIS, with a cluster of its own.
final class DatabaseServer {
    let directory: TemporaryDirectory
    private var process: ChildProcess?
    /// What the recorder is given.
    var address: String { "postgresql:///fleet?host=\(directory.path)&user=owner" }

    /// Starts it, with an empty database that has the extensions.
    init(withExtensions: Bool = true) async throws {
        directory = try TemporaryDirectory()
        if geteuid() == 0 {
            let owner = try await ChildProcess.run(["/usr/bin/chown", "postgres", directory.path])
            #expect(owner.code == 0, "\(owner.errors)")
        }
        let made = try await ChildProcess.run(
            Self.program("initdb") + [
                "-D", directory.path + "/data", "-A", "trust", "-U", "admin", "-E", "UTF8", "--locale=C",
            ])
        try #require(made.code == 0, "\(made.errors)")
        try await start()
        try run("CREATE ROLE owner LOGIN", in: "postgres")
        try run("CREATE DATABASE fleet OWNER owner", in: "postgres")
        if withExtensions { try run("CREATE EXTENSION postgis", in: "fleet") }
    }

    deinit { process?.signal(SIGKILL) }

    /// Starts it after ``kill()``.
    func start() async throws {
        let process = try await ChildProcess(
            Self.program("postgres") + [
                "-D", directory.path + "/data", "-k", directory.path, "-c", "listen_addresses=", "-c", "lc_messages=C",
            ])
        self.process = process
        try await process.error(containing: "ready to accept connections")
    }

    /// Kills it, so that it recovers at the next start.
    func kill() async throws {
        // The others end when they notice that the first has gone, which would keep the next one from starting.
        let pid = try String(contentsOfFile: directory.path + "/data/postmaster.pid", encoding: .utf8)
            .split(separator: "\n").first.flatMap { pid_t($0) }
        Glibc.kill(try #require(pid), SIGQUIT)
        _ = try await process?.exitCode()
        process = nil
    }

    /// The rows of a statement, as its owner.
    func rows(_ statement: String) throws -> [[String?]] {
        try PostgreSQLConnection(address, program: "test").rows(statement)
    }

    private func run(_ statements: String, in database: String) throws {
        try PostgreSQLConnection("postgresql:///\(database)?host=\(directory.path)&user=admin", program: "test")
            .run(statements)
    }

    /// The start of a command: a program of the newest version, as a user whom it accepts.
    private static func program(_ name: String) -> [String] {
        let versions = "/usr/lib/postgresql"
        let newest =
            ((try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? [])
            .compactMap { Int($0) }.filter { access("\(versions)/\($0)/bin/initdb", X_OK) == 0 }.max() ?? 0
        let user =
            geteuid() == 0
            ? ["/usr/bin/setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--"] : []
        return user + ["\(versions)/\(newest)/bin/\(name)"]
    }
}
