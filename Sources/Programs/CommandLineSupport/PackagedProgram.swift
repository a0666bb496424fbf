import ArgumentParser
import Glibc
import POSIXSupport

/// A program of another package that carries out a command of this one.
package struct PackagedProgram: Sendable {
    /// The name of its file.
    let file: String
    /// What it does, as the subject of a sentence: `The map`.
    let subject: String
    /// Its package on Debian.
    let package: String

    package init(file: String, subject: String, package: String) {
        (self.file, self.subject, self.package) = (file, subject, package)
    }

    /// Its path; `nil` if it is not installed.
    package var path: String? {
        let directory = OwnExecutable.directory
        // Beside this program after a build; otherwise in the packages' directory for programs that users do not run
        // themselves.
        return ["\(directory)/\(file)", "\(directory)/../libexec/locationd/\(file)"].first { access($0, X_OK) == 0 }
    }

    /// Becomes the program. Returns only by throwing, if it is not installed.
    package func replace(with arguments: [String]) throws -> Never {
        if let program = path {
            // The threads of Swift's tasks block all signals, which the program would inherit.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            let words = ([program] + arguments).map { strdup($0) }
            execv(program, words + [nil])
            Terminal.complain("\(subject) could not be started: \(program): \(String(cString: strerror(errno))).")
            throw Exit.failure
        }
        throw missing()
    }

    /// Its path. Throws if it is not installed.
    package func installed() throws -> String {
        guard let path else { throw missing() }
        return path
    }

    private func missing() -> ExitCode {
        Terminal.complain(
            "\(subject) is not installed. On Debian, download \(package) from where locationd came from, then run: "
                + "sudo apt install ./\(package)_*.deb")
        return Exit.failure
    }
}

extension PackagedProgram {
    /// The program that records a fleet in a database.
    package static let fleetRecorder = PackagedProgram(
        file: "locationd-fleet-recorder", subject: "The recorder", package: "locationd-fleet-recorder")
}

/// The program that sends the position to services of the user.
package enum SharingProgram {
    package static let program = PackagedProgram(
        file: "locationd-share", subject: "Sharing", package: "locationd-share")
    /// The identifier of its client.
    package static let client = "org.locationd.share"

    /// Has the services that may show a position told to forget it, after it was taken from sharing while the program that sends does
    /// not run. What cannot be done is said among the errors.
    ///
    /// - Parameter user: the user whose shares they are; `nil` for the one who runs this program.
    package static func forget(user: Int?) {
        guard let path = program.path else { return }
        let arguments = [path, "forget"] + (user.map { ["--user", "\($0)"] } ?? [])
        do throws(Errno) {
            let launch = ProgramLaunch(
                arguments, descriptors: [STDOUT_FILENO: STDERR_FILENO, STDERR_FILENO: STDERR_FILENO])
            _ = try ProgramLaunch.wait(for: try launch.start())
        } catch {
            Terminal.complain("\(path.shown()) could not be started: \(error).")
        }
    }
}
