package import LocationPolicy
import Testing

@testable import LocationCore
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

    /// Has the source report a location once somebody needs it.
    package func emitUntilNeeded(_ fix: Fix) async throws {
        for await isNeeded in source.needs where isNeeded { break }
        try await emit(fix.event)
    }

    /// The prompts that are open.
    package func prompts(_ agent: any Peer) async throws -> [JSONValue] {
        guard case .array(let prompts)? = try await agent.ask("Agent.ListPrompts")["parameters"]?["prompts"] else {
            return []
        }
        return prompts
    }

    /// Waits for a prompt.
    package func prompt(_ agent: any Peer) async throws -> JSONValue {
        try await ensure("a prompt") { $0.authorizer.requestCount > 0 }
        return try #require(try await prompts(agent).first)
    }

    /// Answers a prompt, and waits until the answer is on disk, where nothing else turns the loop.
    package func decide(_ choice: String, _ prompt: JSONValue, _ agent: any Peer) async throws {
        let id = try #require(prompt["id"]?.integer)
        try await agent.call("Agent.Answer", #"{"id":\#(id),"choice":"\#(choice)"}"#)
        try await finishDiskWork()
        #expect(try await agent.next()["error"] == nil)
    }
}
