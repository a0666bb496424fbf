import LinuxPlumbing

extension Modem.Problem {
    private static let remedy = "To fix it, run: sudo locationctl sources enable modem"

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
        case .switching(.refused(let failure)), .refused(let failure):
            failure.isOfAuthorization
                ? "ModemManager does not let this service use the receiver of \(device): \(failure). \(Self.remedy)"
                : "ModemManager cannot use the receiver of \(device): \(failure)."
        case .silent: "The receiver of \(device) is silent: ModemManager repeats its last answer."
        case .withoutSentences: "The receiver of \(device) sends no position in NMEA 0183."
        }
    }
}

extension BusFailure {
    /// True if polkit or the bus has refused the call.
    fileprivate var isOfAuthorization: Bool {
        name.hasSuffix(".Unauthorized") || name.hasSuffix(".AccessDenied")
    }
}
