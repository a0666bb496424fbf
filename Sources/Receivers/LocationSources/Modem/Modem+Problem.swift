import LinuxPlumbing

extension Modem.Problem {
    /// The problem of the modem with this name, in sentences.
    func text(of device: String) -> String {
        switch self {
        case .switching(.shownToAll):
            "Another program has ModemManager show the location of \(device) to every user of this machine. The receiver "
                + "is not switched on for as long as it does. To fix it, run: sudo mmcli -m any "
                + "--location-set-disable-signal"
        case .switching(.unmanaged):
            "ModemManager leaves the receiver of \(device) to another program (gps-unmanaged), such as gpsd. To fix it, "
                + "run: sudo mmcli -m any --location-disable-gps-unmanaged"
        case .switching(.switchedOff):
            "Another program has switched the receiver of \(device) off. It is switched on again in a moment, and later "
                + "each time."
        case .switching(.refused(let failure)), .refused(let failure): failure.text(of: device)
        case .silent: "The receiver of \(device) is silent: ModemManager repeats its last answer."
        case .withoutSentences: "The receiver of \(device) sends no position in NMEA 0183."
        }
    }
}

extension BusFailure {
    /// The refusal to use the receiver of the modem with this name, in sentences.
    fileprivate func text(of device: String) -> String {
        if name.hasSuffix(".Unauthorized") || name.hasSuffix(".AccessDenied") {
            return "ModemManager does not let this service use the receiver of \(device): \(self). To fix it, run: "
                + "sudo locationctl sources enable modem"
        }
        // Not done from here: it switches the radio on, and registers the modem with the mobile network.
        if name.hasSuffix(".WrongState") {
            return
                "ModemManager uses the receiver of \(device) only while the modem is enabled, which also registers it "
                + "with the mobile network. To fix it, run: sudo mmcli -m any --enable"
        }
        return "ModemManager cannot use the receiver of \(device): \(self)."
    }
}
