import FoundationEssentials
import LocationInterface
import LocationModel
import Testing

@testable import Varlink

/// One `.varlink` file, and the Swift types that say the same.
struct Contract: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var methods: [any InterfaceMethod.Type]
    var errors: [any InterfaceError.Type]
    /// The named types, by their names there.
    var types: [String: any (Codable & Sendable).Type]

    var testDescription: String { name }

    /// A member of an interface that is missing here, or one here that is in none, fails a test.
    static let all = [
        Contract(
            name: "org.locationd.Location", text: InterfaceTexts.location,
            methods: [
                LocationInterface.GetLocation.self, LocationInterface.Subscribe.self, LocationInterface.Follow.self,
            ],
            errors: [
                LocationInterface.LocationUnavailable.self, LocationInterface.LimitExceeded.self,
                LocationInterface.ServiceStopping.self,
            ],
            types: [
                "SourceInformation": Location.SourceInformation.self, "Location": Location.self,
                "Heading": Heading.self, "Frame": TrackingFrame.self, "Diagnostic": LocationInterface.Diagnostic.self,
                "Reason": LocationInterface.Reason.self, "Cause": LocationInterface.Cause.self,
            ]),
        Contract(
            name: "org.locationd.Authorization", text: InterfaceTexts.authorization,
            methods: [
                AuthorizationInterface.GetStatus.self, AuthorizationInterface.RequestWhenInUse.self,
                AuthorizationInterface.RequestAlways.self, AuthorizationInterface.RequestTemporaryFullAccuracy.self,
                AuthorizationInterface.Watch.self, AuthorizationInterface.BeginBackgroundActivity.self,
            ],
            errors: [
                AuthorizationInterface.ClientNotDeclared.self, AuthorizationInterface.NotAuthorized.self,
                AuthorizationInterface.MissingUsageDescription.self, AuthorizationInterface.NoAgent.self,
                AuthorizationInterface.NotAnswered.self, AuthorizationInterface.TooManyPrompts.self,
                AuthorizationInterface.BackgroundActivityNotAllowed.self,
            ],
            types: [
                "Status": AuthorizationStatus.self, "Accuracy": AccuracyAuthorization.self,
                "Reason": LocationInterface.Reason.self, "Cause": LocationInterface.Cause.self,
            ]),
        Contract(
            name: "org.locationd.Agent", text: InterfaceTexts.agent,
            methods: [AgentInterface.Register.self, AgentInterface.Answer.self, AgentInterface.ListPrompts.self],
            errors: [
                AgentInterface.NotAnAgent.self, AgentInterface.NoSuchPrompt.self, AgentInterface.ChoiceNotOffered.self,
            ],
            types: [
                "Choice": AgentInterface.Choice.self, "Kind": AgentInterface.Kind.self,
                "Prompt": AgentInterface.Prompt.self, "Activity": AgentInterface.Activity.self,
            ]),
        Contract(
            name: "org.locationd.Manager", text: InterfaceTexts.manager,
            methods: [
                ManagerInterface.GetServiceStatus.self, ManagerInterface.Reload.self, ManagerInterface.ListClients.self,
                ManagerInterface.SetAuthorization.self, ManagerInterface.SetAccuracy.self,
                ManagerInterface.SetEnabled.self, ManagerInterface.ListAccess.self, ManagerInterface.Explain.self,
            ],
            errors: [
                ManagerInterface.NoSuchClient.self, ManagerInterface.NoSuchProcess.self,
                ManagerInterface.NotAManager.self, ManagerInterface.Restricted.self, ManagerInterface.NotSaved.self,
                ManagerInterface.NotReadable.self,
            ],
            types: [
                "Satellite": ManagerInterface.Satellite.self, "Receiver": ManagerInterface.Receiver.self,
                "Source": ManagerInterface.Source.self,
                "Deliveries": ManagerInterface.Deliveries.self,
                "ConfigurationProblem": ManagerInterface.ConfigurationProblem.self,
                "FrontEnd": ManagerInterface.FrontEnd.self,
                "Status": AuthorizationStatus.self, "Accuracy": AccuracyAuthorization.self,
                "Client": ManagerInterface.Client.self, "Access": ManagerInterface.Access.self,
                "Step": ManagerInterface.Step.self, "Limit": ManagerInterface.Limit.self,
            ]),
    ]
}

@Suite("The .varlink files and the Swift types agree")
struct InterfaceTests {
    @Test("the .varlink file and the Swift types have the same methods, errors and types", arguments: Contract.all)
    func nothingIsMissingOnEitherSide(contract: Contract) throws {
        let interface = try InterfaceDescription(contract.text)
        #expect(interface.name == contract.name)
        #expect(Set(interface.methods.map { "\(contract.name).\($0.name)" }) == Set(contract.methods.map { $0.name }))
        #expect(Set(interface.errors.map { "\(contract.name).\($0.name)" }) == Set(contract.errors.map { $0.name }))
        #expect(Set(interface.types.map(\.name)) == Set(contract.types.keys))
    }

    @Test("the parameters and replies of every method agree with the .varlink file", arguments: Contract.all)
    func methods(contract: Contract) throws {
        let interface = try InterfaceDescription(contract.text)
        for method in contract.methods {
            let described = try #require(interface.method(contract.memberName(method.name)))
            try compare(method.parameters, with: .structure(described.input), in: interface, "\(method.name) takes")
            try compare(method.reply, with: .structure(described.output), in: interface, "\(method.name) answers")
        }
    }

    @Test("the fields of every error agree with the .varlink file", arguments: Contract.all)
    func errors(contract: Contract) throws {
        let interface = try InterfaceDescription(contract.text)
        for error in contract.errors {
            guard case .error(let described) = interface.member(contract.memberName(error.name)) else { continue }
            try compare(error, with: described.type, in: interface, error.name)
        }
    }

    @Test("the fields and cases of every type agree with the .varlink file", arguments: Contract.all)
    func types(contract: Contract) throws {
        let interface = try InterfaceDescription(contract.text)
        for described in interface.types {
            guard let type = contract.types[described.name] else { continue }
            try compare(type, with: described.type, in: interface, described.name)
        }
    }

    /// What the type reads and what it writes are both as described.
    private func compare<Value: Codable>(
        _ type: Value.Type, with described: VarlinkType, in interface: InterfaceDescription, _ what: String
    ) throws {
        let (read, sample) = try schema(of: type)
        let expected = try resolved(described, in: interface)
        #expect(read == expected, "\(what)")
        let written = try JSONDecoder().decode([JSONValue].self, from: JSONEncoder().encode([sample]))[0]
        #expect(conforms(written, to: expected), "\(what), written")
    }

    /// Whether `value` is of that type with every optional present and nothing else in it.
    private func conforms(_ value: JSONValue, to type: VarlinkType) -> Bool {
        switch (type, value) {
        case (.bool, .bool), (.int, .integer), (.float, .integer), (.float, .number), (.string, .string): return true
        case (.optional(let wrapped), _): return conforms(value, to: wrapped)
        case (.array(let element), .array(let values)): return values.allSatisfy { conforms($0, to: element) }
        case (.map(let element), .object(let values)): return values.values.allSatisfy { conforms($0, to: element) }
        case (.enumeration(let cases), .string(let name)): return cases.contains(name)
        case (.structure(let fields), .object(let values)):
            return Set(fields.map(\.name)) == Set(values.keys)
                && fields.allSatisfy { field in values[field.name].map { conforms($0, to: field.type) } ?? false }
        default: return false
        }
    }
}

/// The checks see what they are there to see.
@Suite struct SchemaTests {
    private struct Sample: Codable {
        enum Kind: String, Codable, CaseIterable { case b, a }
        var kind: Kind
        var names: [String]
        var counts: [String: Int]?
        var inner: Inner
        struct Inner: Codable { var isOn: Bool? }
    }

    private func type(_ text: String) throws -> VarlinkType {
        let interface = try InterfaceDescription("interface org.example.A\ntype Kind (a, b)\ntype T \(text)")
        return try resolved(.named("T"), in: interface)
    }

    @Test("equal types agree")
    func agreement() throws {
        let described = try type("(names: []string, counts: ?[string]int, kind: Kind, inner: (isOn: ?bool))")
        #expect(try schema(of: Sample.self).type == described)
    }

    @Test(
        "a type that differs in a field or its kind is found",
        arguments: [
            "(names: []string, counts: [string]int, kind: Kind, inner: (isOn: ?bool))",
            "(names: []string, kind: Kind, inner: (isOn: ?bool))",
            "(names: []string, counts: ?[string]float, kind: Kind, inner: (isOn: ?bool))",
            "(names: []string, counts: ?[string]int, kind: (a, b, c), inner: (isOn: ?bool))",
            "(names: []string, counts: ?[string]int, kind: Kind, inner: (isOn: bool))",
            "(names: string, counts: ?[string]int, kind: Kind, inner: (isOn: ?bool))",
            "(names: []string, counts: ?[string]int, kind: Kind, inner: (isOn: ?bool), more: ?int)",
        ])
    func disagreement(text: String) throws {
        #expect(try schema(of: Sample.self).type != type(text))
    }
}

extension Contract {
    func memberName(_ full: String) -> String { String(full.dropFirst(name.count + 1)) }
}

extension InterfaceMethod {
    fileprivate static var parameters: any Codable.Type { Parameters.self }
    fileprivate static var reply: any Codable.Type { Reply.self }
}
