/// Whether gpsd has a receiver, whether it may read it and understands it, and whether that has a fix.
package struct ReceiversCheck: Check {
    /// How long a receiver was listened to, in seconds; a sentence says so.
    static let listeningTime = 5
    /// A signal below this, in dBHz, hardly carries the receiver's data; under an open sky it is 35 and more.
    static let weakSignal = 25.0

    /// What was heard; hidden where nobody could be asked.
    package var receivers: Evidence<[ReceiverReport]>
    /// Whether they were listened to just now; otherwise this is what the service heard when it last needed one.
    package var isLive = true
    /// The files of receivers, of the devices in the settings and of serial lines, as far as they are there.
    package var files: [String: FileStatus] = [:]
    /// gpsd's process, if it runs and can be seen.
    package var gpsd: ProcessIdentity?
    /// Serial lines of the machine on which a receiver may be.
    package var serialLines: [String] = []
    /// What gpsd is told to open, where Debian keeps that.
    package var settings: GPSDSettings?

    package init(receivers: Evidence<[ReceiverReport]>) {
        self.receivers = receivers
    }

    package var findings: [Finding] {
        switch receivers {
        case .hidden(let reason): [.notLookedAt(.receiverPresent, "the receivers", reason)]
        case .seen(let receivers) where receivers.isEmpty:
            isLive ? withoutReceiver : [.notLookedAt(.receiverPresent, "the receivers", "nobody needs a location now")]
        case .seen(let receivers): receivers.flatMap(findings(of:))
        }
    }

    /// gpsd does not mention a device that it could not open.
    private var withoutReceiver: [Finding] {
        let named = settings?.devices ?? []
        let denied = Set(named + serialLines).sorted().compactMap(permission)
        return denied.isEmpty ? [none] : denied
    }

    private var none: Finding {
        var lines: [String] = []
        let named = settings?.devices ?? []
        let missing = named.filter { $0.hasPrefix("/dev/") && files[$0] == nil }
        if !missing.isEmpty {
            lines.append(
                "\(missing.joined(separator: " and ")) is not there: plug the receiver in, or correct DEVICES.")
        }
        if let first = serialLines.first {
            lines.append("A receiver may be on \(serialLines.joined(separator: " or ")).")
            lines.append("Name it in DEVICES in /etc/default/gpsd: DEVICES=\"\(first)\"")
        } else {
            if missing.isEmpty {
                lines.append("Plug one in; there is no serial line on this machine that could be one.")
            }
            lines.append("A receiver at another place is named in DEVICES in /etc/default/gpsd.")
        }
        lines.append("Then: systemctl restart gpsd.socket gpsd.service")
        let settings = settings.map { settings in
            let devices =
                settings.devices.isEmpty
                ? "DEVICES is empty" : "DEVICES names \(settings.devices.joined(separator: " "))"
            return " (\(devices), USBAUTO is \(settings.isUSBAutomatic ? "on" : "off"))"
        }
        return .problem(
            .receiverPresent, "gpsd has no receiver\(settings ?? "")", remedy: lines.joined(separator: "\n"))
    }

    private func findings(of receiver: ReceiverReport) -> [Finding] {
        let name = receiver.device ?? "the receiver"
        if receiver.mode == .unknown, let denied = permission(name) { return [denied] }
        guard receiver.driver != nil || receiver.mode != .unknown else {
            guard isLive else { return [.notLookedAt(.receiverFix, name, "nobody needs a location now")] }
            return [
                .problem(
                    .receiverDriver, "\(name) says nothing that gpsd understands",
                    remedy: """
                        Is it the receiver, is it powered, and does it send at a speed that gpsd tries?
                        Look at what it sends: gpsmon \(name)
                        Where its speed is known: GPSD_OPTIONS="-s 9600" in /etc/default/gpsd
                        """, subject: receiver.device)
            ]
        }
        return [fix(receiver, name)]
    }

    /// That gpsd's process, which has given up root since it started, may not open a device.
    private func permission(_ name: String) -> Finding? {
        guard let gpsd, let file = files[name], !file.permits(.readAndWrite, to: gpsd) else { return nil }
        let group = Account.groupName(file.group)
        let isGroupsToUse = file.mode & 0o060 == 0o060 && file.group != 0
        return .problem(
            .receiverPermission,
            "gpsd may not open \(name): it runs as \(Account.userName(gpsd.userID)), and that is \(file.words)",
            remedy: isGroupsToUse
                ? "Put gpsd into the group: usermod --append --groups \(group) \(Account.userName(gpsd.userID)), "
                    + "then systemctl restart gpsd.service"
                : "Give it the group dialout and mode 0660 with a udev rule, then plug the receiver in again:\n"
                    + "SUBSYSTEM==\"tty\", KERNEL==\"\(name.split(separator: "/").last ?? "tty*")\", GROUP=\"dialout\", "
                    + "MODE=\"0660\"",
            subject: name)
    }

    private func fix(_ receiver: ReceiverReport, _ name: String) -> Finding {
        func problem(_ found: String, _ remedy: String) -> Finding {
            .problem(.receiverFix, "\(name) \(found)", remedy: remedy, subject: receiver.device)
        }
        switch receiver.mode {
        case .fix2D, .fix3D:
            let kind = receiver.mode == .fix3D ? "3D" : "2D"
            let satellites = receiver.satellitesUsed.map { used in
                " from \(used)\(receiver.satellitesSeen.map { " of \($0)" } ?? "") satellites"
            }
            return .ok(.receiverFix, "\(name) has a \(kind) fix\(satellites ?? "")", subject: receiver.device)
        case .unknown, .noFix:
            guard isLive else { return .notLookedAt(.receiverFix, name, "nobody needs a location now") }
        }
        guard receiver.mode == .noFix else {
            return problem(
                "has said nothing for \(Self.listeningTime) s",
                "Plug it out and in again; if that does not help: systemctl restart gpsd.service")
        }
        let start = "After a long time without power it takes up to 15 minutes for the first fix."
        guard let seen = receiver.satellitesSeen, seen > 0 else {
            return problem(
                receiver.satellitesSeen == nil ? "has no fix" : "has no fix: it sees no satellite",
                "Connect its antenna and give that a free view of the sky. \(start)")
        }
        if let strongest = receiver.strongestSignal, strongest < Self.weakSignal {
            return problem(
                "has no fix: it sees \(seen) satellites, the best of them at \(Int(strongest)) dBHz",
                "That is too weak for a fix; under an open sky it is 35 and more. Move the antenna outside or to a window."
            )
        }
        return problem(
            "has no fix: it sees \(seen) satellites and uses \(receiver.satellitesUsed ?? 0)",
            "It needs four. Give its antenna more of the sky, and some time. \(start)")
    }
}

/// What is known of one receiver, from gpsd or from the service.
package struct ReceiverReport: Hashable, Sendable {
    package enum Mode: Int, Hashable, Sendable {
        case unknown, noFix, fix2D, fix3D
    }

    /// Its name; `nil` when the reports do not say.
    package var device: String?
    /// The protocol that gpsd has recognised; `nil` while it has not.
    package var driver: String?
    package var mode = Mode.unknown
    package var satellitesUsed: Int?
    package var satellitesSeen: Int?
    /// The strongest signal it hears, in dBHz.
    package var strongestSignal: Double?
    /// By how many seconds the clock of this machine was ahead of its own.
    package var clockOffset: Double?

    package init(device: String?) {
        self.device = device
    }
}

/// What `/etc/default/gpsd` says.
package struct GPSDSettings: Hashable, Sendable {
    package var devices: [String] = []
    /// Whether receivers that are plugged in are passed to gpsd.
    package var isUSBAutomatic = false

    /// Reads the file: assignments as a shell would read them, of which the simple ones are understood.
    package init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = parts[1].filter { $0 != "\"" && $0 != "'" }
            switch parts[0].filter({ !$0.isWhitespace }) {
            case "DEVICES": devices = value.split(whereSeparator: \.isWhitespace).map(String.init)
            case "USBAUTO": isUSBAutomatic = value.lowercased().hasPrefix("true")
            default: break
            }
        }
    }
}
