/// How gpsd is put behind a Unix socket that only the service may open: what is written and what is run.
///
/// A drop-in takes the TCP ports away from `gpsd.socket` and gives it a second Unix socket (gpsd answers clients at the
/// second socket it is passed; the first takes orders), and the service's property list names that. To be undone: remove the
/// drop-in, put the backup back, and run the same commands again.
package struct PortMending: Hashable, Sendable {
    package static let dropInFile = "/etc/systemd/system/gpsd.socket.d/locationd.conf"
    package static let standardSocket = "/run/gpsd-client.sock"
    /// Where `gpsd.socket` takes orders, as Debian has it.
    static let controlSocket = "/run/gpsd.sock"
    package static let backupSuffix = ".before-doctor"

    /// A file that is written.
    package struct Writing: Hashable, Sendable {
        package var file: String
        package var old: String?
        package var new: String
    }

    /// What was found on this machine.
    package struct Situation: Sendable {
        package var port: PortCheck
        package var socketUnit: Evidence<UnitState>
        package var serviceUnit: Evidence<UnitState>
        /// Whether there is a user of the service.
        package var hasServiceUser = true
        /// The drop-in, if it is there.
        package var dropIn: String?
        /// The service's property list and its text, if it is there.
        package var configurationFile: String
        package var configuration: String?
        /// Where it has gpsd; `nil` where it cannot be used as it is.
        package var address: GPSDCheck.Address?

        package init(
            port: PortCheck, socketUnit: Evidence<UnitState>, serviceUnit: Evidence<UnitState>,
            configurationFile: String
        ) {
            self.port = port
            self.socketUnit = socketUnit
            self.serviceUnit = serviceUnit
            self.configurationFile = configurationFile
        }
    }

    /// Why nothing is done, as a sentence.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The socket that gpsd will listen at.
    package let socket: String
    /// The files that are not as they should be.
    package let writings: [Writing]
    /// What is run then: arguments of systemctl.
    package let commands: [[String]]

    /// What is to be done; `nil` where there is nothing to mend.
    package init?(_ situation: Situation) throws(Refusal) {
        guard !situation.port.open.isEmpty || Self.isHalfDone(situation) else { return nil }
        guard case .seen(let unit) = situation.socketUnit else {
            throw Refusal("gpsd is put behind a socket by systemd, which is not the init here.")
        }
        guard unit.isLoaded else {
            throw Refusal(
                unit.isMasked
                    ? "gpsd.socket is masked: systemctl unmask gpsd.socket, then try again."
                    : "There is no gpsd.socket here, so gpsd opens its port itself: see how it is started.")
        }
        guard situation.hasServiceUser else { throw Refusal("There is no user locationd; install the package first.") }
        socket = try Self.socket(situation.address, situation.configurationFile)
        let dropIn = Self.dropIn(socket: socket)
        var writings = [Writing(file: Self.dropInFile, old: situation.dropIn, new: dropIn)]
        writings.append(
            Writing(
                file: situation.configurationFile, old: situation.configuration,
                new: try Self.configuration(situation, socket: socket)))
        self.writings = writings.filter { $0.old != $0.new }
        var commands = [
            ["daemon-reload"], ["stop", "gpsd.socket", "gpsd.service"], ["start", "gpsd.socket"],
        ]
        if situation.serviceUnit.value?.isActive == true { commands.append(["start", "gpsd.service"]) }
        self.commands = commands + [["try-restart", "locationd.service"]]
    }

    /// The drop-in is there and the property list does not say so, or the other way round.
    private static func isHalfDone(_ situation: Situation) -> Bool {
        guard let dropIn = situation.dropIn, let address = situation.address else { return false }
        guard case .unix(let path) = address else { return true }
        return dropIn != self.dropIn(socket: path)
    }

    private static func socket(_ address: GPSDCheck.Address?, _ file: String) throws(Refusal) -> String {
        switch address {
        case nil: throw Refusal("\(file) cannot be used as it is: mend it first (locationctl config check).")
        case .tcp where address?.isLocal == true: return standardSocket
        case .unix(let path) where path != controlSocket: return path
        case .unix:
            throw Refusal("\(file) names \(controlSocket), where gpsd takes orders: choose another Socket there.")
        case .tcp, .replay: throw Refusal("\(file) has gpsd on another machine: close its port there.")
        }
    }

    private static func configuration(_ situation: Situation, socket: String) throws(Refusal) -> String {
        guard let text = situation.configuration else {
            return """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                    <key>GPSD</key>
                    <dict>
                        <key>Socket</key><string>\(socket)</string>
                    </dict>
                </dict>
                </plist>

                """
        }
        if situation.address == .unix(path: socket) { return text }
        do throws(PropertyListEdit.Refusal) {
            return try PropertyListEdit.settingSocket(socket, in: text)
        } catch {
            throw Refusal(
                "\(situation.configurationFile) cannot be edited safely: \(error.reason). Under GPSD remove Host and Port, and "
                    + "add <key>Socket</key><string>\(socket)</string>; then try again.")
        }
    }

    /// The drop-in for gpsd.socket.
    static func dropIn(socket: String) -> String {
        """
        # Written by locationctl doctor --fix: only the location service may ask gpsd where this machine is.
        # To undo: remove this file, systemctl daemon-reload, systemctl restart gpsd.socket.
        [Socket]
        ListenStream=
        ListenStream=\(controlSocket)
        ListenStream=\(socket)
        SocketUser=locationd
        SocketMode=0600
        # The socket at which gpsd takes orders stays root's.
        ExecStartPost=/bin/chown root:root \(controlSocket)

        """
    }
}

extension PortMending {
    /// All of it, for whoever is to agree.
    package var description: [String] {
        var lines = [
            "gpsd will listen at \(socket), which only locationd may open, and at no port.",
            "Programs that ask gpsd themselves (cgps, gpsmon, chrony over the port) will no longer reach it.", "",
        ]
        for writing in writings {
            let backup = writing.old == nil ? "" : ", the old one becomes \(writing.file)\(Self.backupSuffix)"
            lines.append("write \(writing.file)\(backup):")
            lines += difference(writing).map { "    \($0)" }
        }
        return lines + commands.map { "run systemctl \($0.joined(separator: " "))" }
    }

    /// How to have everything as it was.
    package var undoing: [String] {
        let backups = writings.filter { $0.old != nil }.map { "mv \($0.file)\(Self.backupSuffix) \($0.file)" }
        return ["rm \(Self.dropInFile)"] + backups.filter { !$0.contains(Self.dropInFile) }
            + ["systemctl daemon-reload && systemctl restart gpsd.socket && systemctl try-restart locationd.service"]
    }

    /// The lines that go and those that come.
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
