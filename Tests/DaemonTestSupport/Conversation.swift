import FoundationEssentials
import LocationModel
import LocationPolicy
package import Testing

@testable package import LocationSources
@testable package import Varlink

/// A message as a value, so that messages compare by meaning.
package func json(_ text: String?) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(#require(text, "the connection has ended").utf8))
}

extension Peer {
    /// Calls a method of `org.locationd`, such as `Location.GetLocation`.
    package func call(_ method: String, _ parameters: String = "{}", more: Bool = false) async throws {
        try await send(#"{"method":"org.locationd.\#(method)","parameters":\#(parameters),"more":\#(more)}"# + "\0")
    }

    package func next() async throws -> JSONValue { try json(await receive()) }

    /// The next message without its cause, which says in words what else it says. Tests of causes read them.
    private func nextWithoutCause() async throws -> JSONValue {
        var reply = try await next()
        guard case .object(var message) = reply, case .object(var parameters)? = message["parameters"] else {
            return reply
        }
        parameters["cause"] = nil
        message["parameters"] = .object(parameters)
        reply = .object(message)
        return reply
    }

    /// The id of the prompt that an agent is shown next.
    package func nextPrompt() async throws -> Int64 {
        let reply = try await next()
        guard let id = reply["parameters"]?["prompt"]?["id"]?.integer else {
            Issue.record("not a prompt: \(reply)")
            return -1
        }
        return id
    }

    /// Calls a method and waits for the answer.
    package func ask(_ method: String, _ parameters: String = "{}") async throws -> JSONValue {
        try await call(method, parameters)
        return try await next()
    }

    /// The next message is this.
    package func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await nextWithoutCause() == json(text), sourceLocation: sourceLocation)
    }

    /// The next message is this error; those parameters that are given are as given.
    package func expectError(
        _ name: String, _ parameters: [String: JSONValue] = [:], saying words: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let reply = try await next()
        #expect(reply["error"] == .string(name), sourceLocation: sourceLocation)
        for (key, value) in parameters {
            #expect(reply["parameters"]?[key] == value, sourceLocation: sourceLocation)
        }
        guard !words.isEmpty else { return }
        guard case .string(let message) = reply["parameters"]?["message"] else {
            Issue.record("there is no message", sourceLocation: sourceLocation)
            return
        }
        for word in words { #expect(message.contains(word), sourceLocation: sourceLocation) }
    }
}

extension JSONValue {
    package subscript(key: String) -> JSONValue? {
        if case .object(let values) = self { values[key] } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// A number, with decimals or without.
    package var number: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
}

/// A fix of a test: where on its way north and how exactly. Its time tells them apart.
package struct Fix: Sendable {
    package var number: Int
    package var accuracy: Double? = 5
    /// In seconds.
    package var later: Int64 = 0

    package init(number: Int, accuracy: Double? = 5, later: Int64 = 0) {
        (self.number, self.accuracy, self.later) = (number, accuracy, later)
    }

    package var latitude: Double { 48 + Double(number) * 1e-3 }
    /// As the interface says it.
    package var time: String { "\(timestamp)" }
    private var timestamp: Timestamp {
        Timestamp(nanosecondsSince1970: 1_795_000_000_000_000_000 + Int64(number) + later * 1_000_000_000)
    }

    /// As a source reports it.
    package var event: SourceEvent {
        var location = Location(coordinate: Coordinate(latitude: latitude, longitude: 11.5)!, timestamp: timestamp)
        location.horizontalAccuracy = accuracy
        return .location(location)
    }

    /// As the interface says it.
    package var text: String {
        let accuracy = accuracy.map { #","horizontalAccuracy":\#($0)"# } ?? ""
        return #"{"latitude":\#(latitude),"longitude":11.5,"timestamp":"\#(timestamp)"\#(accuracy)}"#
    }

    /// The reply of a subscription which delivers it.
    package func delivery(skipped: Int? = nil) -> String {
        let skipped = skipped.map { #","skipped":\#($0)"# } ?? ""
        return #"{"parameters":{"location":\#(text)\#(skipped)},"continues":true}"#
    }

    /// The answer to `GetLocation`.
    package var answer: String { #"{"parameters":{"location":\#(text)}}"# }
}

package func diagnostic(_ name: String) -> String { #"{"parameters":{"diagnostic":"\#(name)"},"continues":true}"# }

/// The time of the next location; diagnostics on the way are passed over.
package func locationTime(_ client: any Peer) async throws -> String {
    while true {
        if case .string(let time) = try await client.next()["parameters"]?["location"]?["timestamp"] { return time }
    }
}
