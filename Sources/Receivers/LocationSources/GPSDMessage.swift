/// A decoded message of gpsd: <https://gpsd.gitlab.io/gpsd/gpsd_json.html>.
enum GPSDMessage: Equatable {
    /// The banner, with gpsd's release.
    case version(String)
    /// DEVICES, DEVICE, TPV, SKY or ATT.
    case report(ReceiverReport)
    /// gpsd's complaint about a command.
    case error(String)
    /// A message of a class that is not used here, or a report without a valid value.
    case other(String)
}
