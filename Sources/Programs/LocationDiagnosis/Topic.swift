/// The subjects of doctor's checks, in order from the antenna to the client. The raw values are identifiers for scripts and
/// keep their meaning.
package enum Topic: String, Encodable, Sendable, CaseIterable {
    case gpsdInstalled = "gpsd.installed"
    case gpsdReachable = "gpsd.reachable"
    case gpsdSocket = "gpsd.socket"
    case gpsdPort = "gpsd.port"
    case gpsdSharedMemory = "gpsd.sharedMemory"
    case gpsdBus = "gpsd.bus"
    case gpsdRelease = "gpsd.release"
    case sourcePresent = "source.present"
    case receiverPresent = "receiver.present"
    case receiverPermission = "receiver.permission"
    case receiverDriver = "receiver.driver"
    case receiverFix = "receiver.fix"
    case modemReceiver = "modem.receiver"
    case modemSignals = "modem.signals"
    case compassHeading = "compass.heading"
    case wifiProgram = "wifi.program"
    case wifiServer = "wifi.server"
    case wifiPermission = "wifi.permission"
    case wifiAccessPoints = "wifi.accessPoints"
    case clockReceiver = "clock.receiver"
    case clockSynchronized = "clock.synchronized"
    case serviceSocketUnit = "service.socketUnit"
    case serviceUnit = "service.unit"
    case serviceSocketFile = "service.socketFile"
    case serviceAnswer = "service.answer"
    case configurationRefused = "configuration.refused"
    case configurationWritable = "configuration.writable"
    case configurationInForce = "configuration.inForce"
    case clientProgram = "client.program"
    case clientUnit = "client.unit"
    case clientUser = "client.user"
    case clientHidden = "client.hidden"
    case clientLaunch = "client.launch"
    case clientAmbiguous = "client.ambiguous"
    case agentProgram = "agent.program"
    case geoClueName = "geoclue.name"
    case userEnabled = "user.enabled"
    case userAgent = "user.agent"
    case userUse = "user.use"
    case userGeofences = "user.geofences"
    case userAuthorization = "user.authorization"

    /// The heading for people under which it is listed.
    package var area: String {
        switch self {
        case .gpsdInstalled, .gpsdReachable, .gpsdSocket, .gpsdPort, .gpsdSharedMemory, .gpsdBus, .gpsdRelease: "gpsd"
        case .sourcePresent: "Sources"
        case .receiverPresent, .receiverPermission, .receiverDriver, .receiverFix: "Receiver"
        case .modemReceiver, .modemSignals: "Modem"
        case .compassHeading: "Compass"
        case .wifiProgram, .wifiServer, .wifiPermission, .wifiAccessPoints: "Wi-Fi"
        case .clockReceiver, .clockSynchronized: "Clock"
        case .serviceSocketUnit, .serviceUnit, .serviceSocketFile, .serviceAnswer: "Service"
        case .configurationRefused, .configurationWritable, .configurationInForce: "Configuration"
        case .clientProgram, .clientUnit, .clientUser, .clientHidden, .clientLaunch, .clientAmbiguous, .agentProgram,
            .geoClueName:
            "Programs"
        case .userEnabled, .userAgent, .userUse, .userGeofences, .userAuthorization: "You"
        }
    }
}
