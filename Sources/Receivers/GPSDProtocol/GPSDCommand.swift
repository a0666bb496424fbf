/// The commands that are sent to gpsd: gpsd_json(5). The sender adds a line feed.
package enum GPSDCommand {
    /// Starts the reports of all receivers.
    package static let watch = #"?WATCH={"enable":true,"json":true}"#
    /// Asks for the list of receivers.
    package static let devices = "?DEVICES;"
    /// Stops them.
    package static let unwatch = #"?WATCH={"enable":false}"#
}
