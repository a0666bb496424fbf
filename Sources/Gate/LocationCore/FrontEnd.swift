package import LocationConfiguration

/// A way into the service: identifies its peers, translates their calls for the core, and encodes what the core
/// discloses to them.
///
/// Confined to the event loop.
package protocol FrontEnd: AnyObject {
    /// Its state for the status of the service; `nil` for one that is closed, or that is the service's own socket.
    var status: FrontEndStatus? { get }
    /// True if no peer is connected.
    var isUnused: Bool { get }
    /// Applies the configuration in force. Called when the front end is added, and after each reload.
    func apply(_ configuration: Configuration)
    /// Handles a change of the kinds of sources that could give locations, while it watches them.
    func receiveAvailableKinds()
    /// Stops serving.
    func close()
}

extension FrontEnd {
    /// Does nothing.
    package func receiveAvailableKinds() {}
}

/// The state of a front end.
package struct FrontEndStatus: Hashable, Sendable {
    /// The front end.
    package let kind: FrontEndKind
    /// The reason why it does not serve, as a sentence; `nil` while it does.
    package let problem: String?

    package init(_ kind: FrontEndKind, problem: String? = nil) { (self.kind, self.problem) = (kind, problem) }
}

/// A front end, named for messages.
package struct FrontEndKind: Hashable, Sendable {
    /// The name in history and explanations.
    package let name: String
    /// True if its protocol is for applications with windows, which the message bus may have started.
    package let isForApplications: Bool
    /// True if users are asked about undeclared programs that use it.
    package let servesUndeclared: Bool
    /// True if agents use it.
    package let servesAgents: Bool

    package init(
        name: String, isForApplications: Bool = false, servesUndeclared: Bool = false, servesAgents: Bool = false
    ) {
        (self.name, self.isForApplications) = (name, isForApplications)
        (self.servesUndeclared, self.servesAgents) = (servesUndeclared, servesAgents)
    }
}
