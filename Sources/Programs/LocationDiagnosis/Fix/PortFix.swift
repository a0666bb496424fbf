package import GPSDProtocol
import LocationConfiguration

/// The steps that put gpsd behind a Unix socket that only the service may open, and end what it publishes beside it: files to
/// write and commands to run.
///
/// A drop-in replaces the TCP ports of `gpsd.socket` by a second Unix socket: gpsd serves clients at the second socket that
/// it is passed, and takes commands at the first. A drop-in of the service's property list names that socket. A drop-in of
/// `gpsd.service` ends gpsd's exports (``ExportsCheck``). The files are doctor's own, so removing them restores the previous
/// state: see ``PortUndo``.
package struct PortFix: Hashable, Sendable {
    package static let dropInFile = "/etc/systemd/system/gpsd.socket.d/locationd.conf"
    package static let serviceDropInFile = "/etc/systemd/system/gpsd.service.d/locationd.conf"
    package static let standardSocket = "/run/gpsd-client.sock"
    /// The name of the drop-in in the service's drop-in directory.
    package static let settingsName = "gpsd-socket.plist"
    /// The socket at which gpsd takes commands, in Debian's `gpsd.socket`.
    static let controlSocket = "/run/gpsd.sock"
    /// The interpreter of ``serviceDropIn``, which every Debian has (perl-base). The package's own programs would be missing
    /// after its removal, and gpsd would not start then.
    static let interpreter = "/usr/bin/perl"

    /// A file to write.
    package struct Writing: Hashable, Sendable {
        package var file: String
        /// The present content; `nil` if the file does not exist.
        package var old: String?
        package var new: String
    }

    /// The evidence about this machine.
    package struct Situation: Sendable {
        package var port: PortCheck
        package var exports: ExportsCheck
        package var socketUnit: Evidence<UnitState>
        /// The active units that pass USB receivers to gpsd, Debian's `gpsdctl@DEVICE.service`. They require `gpsd.socket`, so
        /// they stop with it, and nothing starts them again until the receiver is plugged in again.
        package var receiverUnits: [String] = []
        /// True if the service's user exists.
        package var hasServiceUser = true
        /// The content of the drop-in of `gpsd.socket`, if it exists.
        package var dropIn: String?
        /// The content of the drop-in of `gpsd.service`, if it exists.
        package var serviceDropIn: String?
        /// True if the interpreter of that drop-in is there.
        package var hasInterpreter = true
        /// The service's property list.
        package var configurationFile: String
        /// The drop-in of that list.
        package var settingsFile: String
        /// The content of that drop-in, if it exists.
        package var settings: String?
        /// The configured address of gpsd; `nil` if the configuration is invalid.
        package var address: GPSDAddress?
        /// The configured receiver, which the drop-in has to repeat.
        package var device: String?
        /// The number of gpsd that the configuration names.
        package var count = 1
        /// gpsd's port in the hands of the service.
        package var servicePort = GPSDPort(unit: .hidden("it was not looked for"))

        /// The commands that stop gpsd.
        var stop: [[String]] { [["stop", "gpsd.socket", "gpsd.service"]] }

        /// The commands that start gpsd at the sockets of its unit, with the receivers that it had. Where it did not run, but
        /// left a fix in its shared memory, it is started to remove that.
        var start: [[String]] {
            var commands = [["start", "gpsd.socket"]]
            if exports.unit.value?.isActive == true || exports.isSegmentOpen {
                commands.append(["start", "gpsd.service"])
            }
            if !receiverUnits.isEmpty { commands.append(["start"] + receiverUnits) }
            return commands
        }
    }

    /// The reason why nothing can be done, as a sentence.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The socket at which gpsd will serve clients; `nil` if it stays as it is, since gpsd has no port.
    package let socket: String?
    /// True if gpsd's programs are served by the location service from then on.
    package let givesPort: Bool
    /// The files that have to be written.
    package let writings: [Writing]
    /// The commands to run afterwards: arguments of systemctl.
    package let commands: [[String]]
    let configurationFile: String
    let settingsFile: String

    /// The steps for a situation; `nil` if there is nothing to fix.
    package init?(_ situation: Situation) throws(Refusal) {
        // If gpsd does not run now, its unit shows whether it would open a port.
        let closesPort =
            !situation.port.open.isEmpty || Self.isIncomplete(situation)
            || situation.exports.isOpen && situation.socketUnit.value?.opensPort == true
        let isServiceClosed = situation.serviceDropIn == Self.serviceDropIn
        let servicePort = situation.servicePort
        let isPortMissing = situation.dropIn != nil && servicePort.isMissing
        if let (listener, holder) = situation.port.foreign.first, servicePort.isInstalled, !servicePort.isOn {
            throw Refusal(
                "\(holder) listens at gpsd's port (\(listener)), which locationd is to have.\n"
                    + holder.remedy(port: listener.port))
        }
        // An earlier fix may have closed the port and not the exports. This is found even if gpsd does not run now.
        guard
            closesPort || situation.exports.isOpen || situation.dropIn != nil && !isServiceClosed || isPortMissing
        else { return nil }
        if isPortMissing, !closesPort, !situation.exports.isOpen, isServiceClosed {
            // Everything else is in order, and gpsd continues.
            (socket, givesPort, writings, commands) = (nil, true, [], servicePort.turnOn)
            (configurationFile, settingsFile) = (situation.configurationFile, situation.settingsFile)
            return
        }
        guard case .seen(let unit) = situation.socketUnit else {
            throw Refusal("systemd puts gpsd behind a socket, and it is not the init system here.")
        }
        guard unit.isLoaded else {
            throw Refusal(
                unit.isMasked
                    ? "gpsd.socket is masked. To fix it, run: sudo systemctl unmask gpsd.socket && sudo locationctl doctor --fix"
                    : "There is no gpsd.socket here, so gpsd opens its port itself: check how it is started.")
        }
        guard situation.hasInterpreter else {
            throw Refusal("There is no \(Self.interpreter), which closes gpsd's shared memory: install perl-base.")
        }
        let socket = closesPort ? try Self.socket(situation) : nil
        var writings: [Writing] = []
        if let socket {
            if situation.address != .unix(path: socket) {
                // First, because the socket is of use only once the service is configured for it.
                let settings = Self.settings(socket: socket, device: situation.device)
                writings.append(Writing(file: situation.settingsFile, old: situation.settings, new: settings))
            }
            writings.append(Writing(file: Self.dropInFile, old: situation.dropIn, new: Self.dropIn(socket: socket)))
        }
        writings.append(Writing(file: Self.serviceDropInFile, old: situation.serviceDropIn, new: Self.serviceDropIn))
        self.socket = socket
        self.writings = writings.filter { $0.old != $0.new }
        givesPort = (closesPort || isPortMissing) && servicePort.isInstalled && !servicePort.isOn
        commands =
            [["daemon-reload"]] + situation.stop + situation.start
            + (givesPort ? servicePort.turnOn : [["try-restart", "locationd.service"]])
        configurationFile = situation.configurationFile
        settingsFile = situation.settingsFile
    }

    /// True if an earlier attempt was interrupted: the drop-in of `gpsd.socket` is there, and the service is not configured
    /// for its socket.
    private static func isIncomplete(_ situation: Situation) -> Bool {
        guard let dropIn = situation.dropIn, let address = situation.address else { return false }
        guard case .unix(let path) = address else { return true }
        return dropIn != self.dropIn(socket: path)
    }

    /// The socket for the service, which can be configured with it.
    private static func socket(_ situation: Situation) throws(Refusal) -> String {
        let (address, file) = (situation.address, situation.configurationFile)
        guard situation.hasServiceUser else { throw Refusal("There is no user locationd; install the package first.") }
        guard situation.count == 1 else {
            throw Refusal(
                situation.count == 0
                    ? "\(file) names no gpsd (GPSD): remove that key, or stop gpsd.socket."
                    : "\(file) names several gpsd: give the one here a Socket there, and gpsd.socket the same as "
                        + "ListenStream.")
        }
        switch address {
        case nil: throw Refusal("\(file) has a problem: correct it first (locationctl config check).")
        case .tcp where address?.isLocal == true: return standardSocket
        case .unix(let path) where path != controlSocket: return path
        case .unix:
            throw Refusal("\(file) names \(controlSocket), where gpsd takes commands: choose another Socket there.")
        case .tcp: throw Refusal("\(file) names a gpsd on another machine: close its port there.")
        }
    }

    /// The drop-in of the service's property list.
    static func settings(socket: String, device: String?) -> String {
        var gpsd: [String: PropertyListValue] = ["Socket": .string(socket)]
        gpsd["Device"] = device.map { .string($0) }
        return Seal.sealed(
            PropertyListValue.dictionary(["GPSD": .dictionary(gpsd)])
                .document(comment: "Written by locationctl doctor. It replaces GPSD in locationd.plist.")
        ) { "<!-- \($0) -->" }
    }

    /// The drop-in of `gpsd.socket`.
    static func dropIn(socket: String) -> String {
        Seal.sealed(
            """
            # Written by locationctl doctor --fix: only the location service may ask gpsd where this machine is.
            # To undo that, run: sudo locationctl doctor --undo
            [Socket]
            ListenStream=
            ListenStream=\(controlSocket)
            ListenStream=\(socket)
            SocketUser=locationd
            SocketMode=0600
            RemoveOnStop=yes
            # The socket at which gpsd takes commands stays root's.
            ExecStartPost=/bin/chown root:root \(controlSocket)

            """
        ) { "# \($0)" }
    }

    /// The drop-in of `gpsd.service`.
    ///
    /// gpsd has no option to omit its exports. It continues without the bus if it cannot connect, and without the segment if one
    /// with its key is there that is too small. The program replaces whatever has that key, and does not accept what another
    /// user creates in between; if it fails, gpsd does not start. Where other users have taken all segments of the machine, it raises
    /// their number, since gpsd would create its own as soon as one were free. The segments in which gpsd passes the time to ntpd
    /// and chrony have other keys.
    static let serviceDropIn: String = {
        let key = ExportsCheck.keyText
        // systemd makes one dollar sign of two.
        let remove = "$$i = shmget(\(key), 0, 0); shmctl($$i, 0, 0) if defined $$i"
        let raise =
            "if ($$!{ENOSPC} and open $$f, \"+<\", \"/proc/sys/kernel/shmmni\") { $$n = <$$f>; sysseek $$f, 0, 0; "
            + "syswrite $$f, ($$n + 256) . \"\\n\"; close $$f }"
        return Seal.sealed(
            """
            # Written by locationctl doctor --fix: gpsd publishes fixes neither in shared memory nor on the system bus.
            # To undo that, run: sudo locationctl doctor --undo
            [Service]
            Environment=\(ExportsCheck.busAddress)
            # A segment of one byte that nobody may open takes the place of gpsd's.
            ExecStartPre=\(interpreter) -e 'for (1..100) { \(remove); exit 0 if defined shmget(\(key), 1, 03000); \(raise) } die "$$!"'
            ExecStopPost=-\(interpreter) -e '\(remove)'

            """
        ) { "# \($0)" }
    }()
}

extension PortFix {
    /// The steps in words, for the user to agree to.
    package var description: [String] {
        var lines: [String] = []
        if let socket {
            lines += [
                "gpsd will listen at \(socket), which only locationd may open, and at no port."
            ]
            if !givesPort { lines += Self.closedPort }
        }
        if givesPort { lines += Self.givenPort }
        if socket != nil || !writings.isEmpty || !givesPort {
            lines.append(
                "gpsd will publish fixes neither in shared memory nor on the system bus. Its clocks for ntpd and chrony stay."
            )
            lines.append("gpxlogger, which listens to the system bus, has to be started with -e sockets from then on.")
        }
        lines.append("")
        for writing in writings {
            lines.append("write \(writing.file):")
            lines += difference(writing).map { "    \($0)" }
        }
        return lines + commands.map { "run systemctl \($0.joined(separator: " "))" }
    }

    private static let givenPort = [
        "locationd will answer at gpsd's port: each program that asks there (cgps, OpenCPN) gets what its user allows.",
        "Programs that configure receivers or need their satellites (gpsmon, gpsctl) will get neither.",
    ]
    private static let closedPort = [
        "Programs that ask gpsd themselves (cgps, gpsmon, chrony over the port) will no longer reach it."
    ]

    /// The lines of a file that change, with `-` and `+`; all lines of a new file.
    private func difference(_ writing: Writing) -> [String] {
        let new = writing.new.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        guard let old = writing.old?.split(separator: "\n", omittingEmptySubsequences: false).dropLast() else {
            return new.map(String.init)
        }
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        return old.dropFirst(start).dropLast(end).map { "- \($0)" }
            + new.dropFirst(start).dropLast(end).map { "+ \($0)" }
    }
}
