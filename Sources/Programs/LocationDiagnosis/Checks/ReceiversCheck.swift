package import LocationInterface

/// Checks that gpsd has a receiver, may open it and understands it, and that the receiver has a fix.
package struct ReceiversCheck: Check {
    /// The time for which receivers are observed, in seconds.
    static let listeningTime = 5
    /// The same while gpsd does not answer yet, or has not recognized a receiver: it tries one speed after the other, and answers
    /// nobody while it opens a device.
    static let startingTime = 20
    /// The signal strength in dBHz below which a receiver can hardly decode a satellite's data. Under an open sky it is 35
    /// and more.
    static let weakSignal = 25.0

    package var receivers: Evidence<[ReceiverReport]>
    /// True if they were observed just now; false for the service's reports from the last time that it needed them.
    package var isLive = true
    /// The device files of receivers, of the settings and of serial lines, if they exist.
    package var files: [String: FileStatus] = [:]
    /// gpsd's process, if it runs and is visible.
    package var gpsd: ProcessIdentity?
    /// The serial lines of this machine to which a receiver may be connected.
    package var serialLines: [String] = []
    /// gpsd's settings in Debian's file.
    package var settings: GPSDSettings?
    /// What the service has noticed that speaks against the positions of receivers, as sentences.
    package var doubts: [(receiver: String, sentence: String)] = []
    /// The sources that make a receiver dispensable, as a noun; `nil` if one is wanted.
    package var substitute: String?

    package init(receivers: Evidence<[ReceiverReport]>) {
        self.receivers = receivers
    }

    package var findings: [Finding] {
        switch receivers {
        case .hidden(let reason): [.notChecked(.receiverPresent, "the receivers", reason)]
        case .seen(let receivers) where receivers.isEmpty:
            isLive
                ? withoutReceiver : [.notChecked(.receiverPresent, "the receivers", "no program needs a location now")]
        case .seen(let receivers):
            receivers.flatMap(findings(of:))
                + doubts.map {
                    .problem(
                        .receiverTrust, "the position of \($0.receiver) is doubtful", remedy: $0.sentence,
                        subject: $0.receiver)
                }
        }
    }

    /// The findings if gpsd reports no receiver: it does not report devices that it could not open.
    private var withoutReceiver: [Finding] {
        let named = settings?.devices ?? []
        let denied = Set(named + serialLines).sorted().compactMap(permission)
        if let substitute, denied.isEmpty {
            return .ok(.receiverPresent, "gpsd has no receiver, and none is needed: locations come from \(substitute)")
        }
        return denied.isEmpty ? [none] : denied
    }

    private var none: Finding {
        var lines: [String] = []
        let named = settings?.devices ?? []
        let missing = named.filter { $0.hasPrefix("/dev/") && files[$0] == nil }
        let addresses = named.filter { $0.contains("://") }
        if !missing.isEmpty {
            lines.append(
                "\(missing.joined(separator: " and ")) does not exist: plug in the receiver, or correct DEVICES.")
        }
        if !addresses.isEmpty {
            lines.append(
                "gpsd could not open \(addresses.joined(separator: " and ")): correct it in DEVICES in /etc/default/gpsd, or start "
                    + "what sends there.")
        } else if let first = serialLines.first {
            lines.append("A receiver may be on \(serialLines.joined(separator: " or ")).")
            lines.append("Name it in DEVICES in /etc/default/gpsd: DEVICES=\"\(first)\"")
        } else {
            if missing.isEmpty {
                lines.append("Plug one in; this machine has no serial line to which one could be connected.")
            }
            lines.append("For a receiver at another device, name that in DEVICES in /etc/default/gpsd.")
        }
        lines.append("Then run: \(GPSDCheck.restartWithSocket)")
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
            guard isLive else { return [.notChecked(.receiverFix, name, "no program needs a location now")] }
            return .problem(
                .receiverDriver, "\(name) sends no data that gpsd understands",
                remedy: name.contains("://") ? Self.networkRemedy(name) : Self.serialRemedy(name),
                subject: receiver.device)
        }
        return [fix(receiver, name)]
    }

    private static func serialRemedy(_ name: String) -> String {
        """
        Check that it is the receiver, has power, and sends at a speed that gpsd tries.
        To see its data, run: sudo gpsmon \(name)
        If you know its speed, such as 9600, set GPSD_OPTIONS="-s 9600" in /etc/default/gpsd. Then run: \(GPSDCheck.restart)
        """
    }

    /// The remedy for a receiver at an address, such as a phone that sends NMEA to `udp://…`.
    private static func networkRemedy(_ name: String) -> String {
        name.hasPrefix("udp://")
            ? """
            Check that the sender, such as a phone, sends NMEA to this machine's address and to the port in \(name), and that \
            no firewall drops it.
            An address of 127.0.0.1 receives from this machine only; 0.0.0.0 receives from the network.
            """
            : "Check that a server of NMEA or gpsd's protocol answers at \(name), and that no firewall is between."
    }

    /// The finding if gpsd's process, which drops root after its start, may not open a device.
    private func permission(_ name: String) -> Finding? {
        guard let gpsd, let file = files[name], !file.permits(.readAndWrite, to: gpsd) else { return nil }
        let group = Account.groupName(file.group)
        let isGroupsToUse = file.mode & 0o060 == 0o060 && file.group != 0
        return .problem(
            .receiverPermission,
            "gpsd may not open \(name), which is \(file.words): gpsd runs as \(Account.userName(gpsd.userID))",
            remedy: isGroupsToUse
                ? "To add gpsd to the group, run: sudo usermod --append --groups \(group) \(Account.userName(gpsd.userID)) && "
                    + GPSDCheck.restart
                : "Give it the group dialout and mode 0660 with a udev rule, then plug in the receiver again:\n"
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
            guard isLive else { return .notChecked(.receiverFix, name, "no program needs a location now") }
        }
        guard receiver.mode == .noFix else {
            return problem(
                "has sent nothing for \(Self.listeningTime) s",
                name.contains("://")
                    ? Self.networkRemedy(name)
                    : "Unplug it and plug it in again. If that does not help, run: \(GPSDCheck.restart)")
        }
        let start = "After a long time without power, the first fix takes up to 15 minutes."
        guard let seen = receiver.satellitesSeen, seen > 0 else {
            return problem(
                receiver.satellitesSeen == nil ? "has no fix" : "has no fix: it sees no satellite",
                "Connect its antenna and give it a clear view of the sky. \(start)")
        }
        if let strongest = receiver.strongestSignal, strongest < Self.weakSignal {
            return problem(
                "has no fix: it sees \(seen) satellites, the strongest at \(Int(strongest)) dBHz",
                "That is too weak for a fix; under an open sky it is 35 and more. Move the antenna outside or to a window."
            )
        }
        return problem(
            "has no fix: it sees \(seen) satellites and uses \(receiver.satellitesUsed ?? 0)",
            "It needs four. Give its antenna a clearer view of the sky, and some time. \(start)")
    }
}

/// The state of one receiver, reported by gpsd or by the service.
package typealias ReceiverReport = ManagerInterface.Receiver

extension ReceiverReport {
    /// A receiver that has reported nothing yet, by gpsd's name for it; `nil` if its reports have none.
    init(device: String?) { self.init(device: device, isCurrent: false, mode: .unknown) }

    /// The strength of its strongest signal in dBHz.
    fileprivate var strongestSignal: Double? { satellites?.compactMap(\.signal).max() }
}

/// The settings in `/etc/default/gpsd`.
package struct GPSDSettings: Hashable, Sendable {
    package var devices: [String] = []
    /// True if USB receivers are passed to gpsd when they are plugged in.
    package var isUSBAutomatic = false

    /// Parses the file: assignments of a shell, of which only simple ones are understood.
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
