package import LocationInterface

// The service's replies, by names of this module.

extension LocationServiceManager {
    /// The state of the service, of its sources and clients.
    package typealias Status = ManagerInterface.GetServiceStatus.Reply
    /// A refused part of the configuration.
    package typealias ConfigurationProblem = ManagerInterface.ConfigurationProblem
    /// A client, with the user's decision about it.
    package typealias Client = ManagerInterface.Client
    /// The authorization to decide on.
    package typealias Decision = ManagerInterface.SetAuthorization.Parameters.Authorization
    /// The authorization and accuracy in force after a decision.
    package typealias Outcome = ManagerInterface.SetAuthorization.Reply
    /// An entry of the access history: a client that received the location for some time.
    package typealias Access = ManagerInterface.Access
    /// A client that is given the location at this moment.
    package typealias CurrentAccess = ManagerInterface.CurrentAccess
    /// A part of a user's decisions, history or state.
    package typealias Part = ManagerInterface.Part
    /// A rule, with its effect at this moment.
    package typealias Rule = ManagerInterface.Rule
    /// A rule to add.
    package typealias RuleDefinition = ManagerInterface.RuleDefinition
    /// A place of a user, for rules.
    package typealias Place = ManagerInterface.Place
    /// The authorization of a client with all its reasons.
    package typealias Explanation = ManagerInterface.Explain.Reply
    /// An open prompt.
    package typealias Prompt = AgentInterface.Prompt
    /// A change of the prompts and activities that an agent shows.
    package typealias AgentEvent = AgentInterface.Register.Reply
}
