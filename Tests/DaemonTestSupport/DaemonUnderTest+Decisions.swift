package import LocationPolicy
import Testing

@testable package import Varlink

extension DaemonUnderTest {
    /// An agent that is registered, as its first message says.
    package func register(as peer: PeerIdentity = .example("/usr/bin/locationctl")) async throws -> any Peer {
        let agent = try await connect(as: peer)
        try await agent.call("Agent.Register", more: true)
        try await agent.expect(#"{"parameters":{"activities":[]},"continues":true}"#)
        return agent
    }

    /// Answers a prompt on a connection of its own.
    package func answer(_ id: Int64, _ choice: String, as peer: PeerIdentity = .agent) async throws
        -> JSONValue
    {
        let answering = try await connect(as: peer)
        let reply = try await answering.ask("Agent.Answer", #"{"id":\#(id),"choice":"\#(choice)"}"#)
        await answering.close()
        return reply
    }

    /// Calls a method of the manager on a connection of its own.
    package func manage(
        _ method: String, _ parameters: String, as peer: PeerIdentity = .agent
    ) async throws -> JSONValue {
        let manager = try await connect(as: peer)
        let reply = try await manager.ask("Manager.\(method)", parameters)
        await manager.close()
        return reply
    }

    /// Makes a decision about the example client.
    package func decide(_ authorization: String) async throws -> JSONValue {
        try await manage(
            "SetAuthorization", #"{"client":"org.example.App","authorization":"\#(authorization)"}"#)
    }

    /// The status of the example client, as it sees it.
    package func authorizationStatus() async throws -> JSONValue? {
        let client = try await connect()
        let status = try await client.ask("Authorization.GetStatus")["parameters"]?["status"]
        await client.close()
        return status
    }
}
