import LocationInterface
import LocationModel
import LocationPolicy
import Varlink

extension VarlinkError {
    /// An error of the `org.locationd.*` interfaces.
    static func locationd<E: InterfaceError>(_ error: E) -> VarlinkError {
        VarlinkError(name: E.name, parameters: error)
    }

    /// No declaration matches `peer`: says what to write where.
    static func notDeclared(_ peer: PeerIdentity, directories: [String]) -> VarlinkError {
        let directory = directories.last ?? "a directory that ClientDirectories names"
        let criterion: String =
            if let executable = peer.executable {
                "Executable \(executable)"
            } else if let unit = peer.systemdUnit {
                "SystemdUnit \(unit)"
            } else {
                "Executable or SystemdUnit (process \(peer.processID) runs a program that could not be identified)"
            }
        let message =
            "No client declaration matches this program. Add a property list such as "
            + "\(directory)/org.example.Name.plist with CFBundleIdentifier, NSLocationWhenInUseUsageDescription and, "
            + "under Match, \(criterion); then reload locationd (locationctl config reload)."
        return .locationd(declarationError(peer, message))
    }

    /// Several declarations match `peer` equally well: names their files.
    static func ambiguous(_ peer: PeerIdentity, _ declarations: [ClientDeclaration]) -> VarlinkError {
        let files = declarations.map(\.file).joined(separator: " and ")
        let message =
            "More than one client declaration matches this program equally well: \(files). Add a criterion under "
            + "Match to one of them, or remove one; then reload locationd (locationctl config reload)."
        return .locationd(declarationError(peer, message))
    }

    private static func declarationError(
        _ peer: PeerIdentity, _ message: String
    ) -> AuthorizationInterface.ClientNotDeclared {
        var error = AuthorizationInterface.ClientNotDeclared(message: message)
        error.executable = peer.executable
        error.systemdUnit = peer.systemdUnit
        error.userUnit = peer.userUnit
        error.flatpakID = peer.flatpakID
        error.securityLabel = peer.securityLabel
        return error
    }

    /// `client` may not know where the user is: says who decided that and what can be done.
    static func notAuthorized(_ client: ClientDeclaration, _ authorization: Authorization) -> VarlinkError {
        let message =
            switch authorization.status {
            case .notDetermined:
                "Nobody has decided yet whether \(client.displayName) may know your location. An administrator can "
                    + "allow it by PresetAuthorization, under Policy in \(client.file)."
            case .restricted:
                "The policy in \(client.file) does not let \(client.displayName) know your location (Policy.Restricted)."
            case .denied:
                "\(client.displayName) may not know your location."
            case .authorizedWhenInUse:
                "\(client.displayName) may know your location only while it is in use, and it is not in use now."
            case .authorizedAlways:
                "\(client.displayName) may know only roughly where you are, and locationd has no rough location to give."
            }
        return .locationd(
            AuthorizationInterface.NotAuthorized(
                client: client.identifier, status: authorization.status, message: message))
    }
}
