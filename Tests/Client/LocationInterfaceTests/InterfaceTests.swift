import FoundationEssentials
import LocationInterface
import LocationModel
import Testing
import VarlinkIDL

@testable import InterfaceGenerator
@testable import Varlink

/// A named type of a `.varlink` file whose Swift type has written-out parts.
struct NamedType: Sendable, CustomTestStringConvertible {
    var text: String
    var name: String
    var type: any (Codable & Sendable).Type

    var testDescription: String { "\(type)" }

    /// The types of `LocationModel`.
    static let modelTypes = [
        NamedType(text: LocationInterface.text, name: "SourceInformation", type: Location.SourceInformation.self),
        NamedType(text: LocationInterface.text, name: "Location", type: Location.self),
        NamedType(text: LocationInterface.text, name: "Heading", type: Heading.self),
        NamedType(text: LocationInterface.text, name: "Frame", type: TrackingFrame.self),
        NamedType(text: LocationInterface.text, name: "Diagnostic", type: LocationDiagnostic.self),
        NamedType(text: LocationInterface.text, name: "Reason", type: LocationReason.self),
        NamedType(text: LocationInterface.text, name: "Cause", type: LocationCause.self),
        NamedType(text: AuthorizationInterface.text, name: "Status", type: AuthorizationStatus.self),
        NamedType(text: AuthorizationInterface.text, name: "Accuracy", type: AccuracyAuthorization.self),
        NamedType(text: AuthorizationInterface.text, name: "Reason", type: LocationReason.self),
        NamedType(text: AuthorizationInterface.text, name: "Cause", type: LocationCause.self),
        NamedType(text: AgentInterface.text, name: "Choice", type: PromptChoice.self),
        NamedType(text: MonitorInterface.text, name: "Diagnostic", type: LocationDiagnostic.self),
        NamedType(text: MonitorInterface.text, name: "Reason", type: LocationReason.self),
        NamedType(text: MonitorInterface.text, name: "Cause", type: LocationCause.self),
        NamedType(text: ManagerInterface.text, name: "Status", type: AuthorizationStatus.self),
        NamedType(text: ManagerInterface.text, name: "Accuracy", type: AccuracyAuthorization.self),
    ]

    /// Generated ones with points in time, whose encoding is written by hand.
    static let timestamped = [
        NamedType(text: ManagerInterface.text, name: "Client", type: ManagerInterface.Client.self),
        NamedType(text: ManagerInterface.text, name: "Access", type: ManagerInterface.Access.self),
        NamedType(text: MonitorInterface.text, name: "Event", type: MonitorInterface.Event.self),
        NamedType(text: MonitorInterface.text, name: "Visit", type: MonitorInterface.Visit.self),
    ]
}

@Suite("The .varlink files and the types of LocationModel agree", .timeLimit(.minutes(10)))
struct InterfaceTests {
    private static let texts = [
        LocationInterface.text, AuthorizationInterface.text, AgentInterface.text, ManagerInterface.text,
        MonitorInterface.text,
    ]

    @Test("each type of LocationModel that an interface contains is compared")
    func completeness() throws {
        for text in Self.texts {
            let interface = try InterfaceDescription(text)
            let names = try #require(SwiftNames.all[interface.name])
            #expect(Set(NamedType.modelTypes.filter { $0.text == text }.map(\.name)) == Set(names.types.keys))
        }
    }

    @Test("systemd can read the descriptions: its parser supports no array or map of arrays, maps or optionals")
    func nesting() throws {
        for text in Self.texts {
            for member in try InterfaceDescription(text).members {
                let types =
                    switch member {
                    case .type(let declaration), .error(let declaration): [declaration.type]
                    case .method(let method): (method.input + method.output).map(\.type)
                    }
                #expect(types.allSatisfy { isReadable($0) }, "\(member.name)")
            }
        }
        #expect(!isReadable(.optional(.array(.array(.int)))) && isReadable(.optional(.array(.named("Hole")))))
    }

    private func isReadable(_ type: VarlinkType) -> Bool {
        switch type {
        case .array(let element), .map(let element):
            switch element {
            case .array, .map, .optional: false
            default: isReadable(element)
            }
        case .optional(let wrapped): isReadable(wrapped)
        case .structure(let fields): fields.allSatisfy { isReadable($0.type) }
        default: true
        }
    }

    @Test(
        "what is read and written agrees with the .varlink file",
        arguments: NamedType.modelTypes + NamedType.timestamped)
    func types(type: NamedType) throws {
        let interface = try InterfaceDescription(type.text)
        try compare(type.type, with: .named(type.name), in: interface)
    }

    /// What the type reads and what it writes are both as described.
    private func compare<Value: Codable>(
        _ type: Value.Type, with described: VarlinkType, in interface: InterfaceDescription
    ) throws {
        let (read, sample) = try schema(of: type)
        let expected = try resolved(described, in: interface)
        #expect(read == expected)
        let written = try JSONDecoder().decode([JSONValue].self, from: JSONEncoder().encode([sample]))[0]
        #expect(conforms(written, to: expected), "written")
    }

    /// Whether `value` is of that type with every optional present and nothing else in it.
    private func conforms(_ value: JSONValue, to type: VarlinkType) -> Bool {
        switch (type, value) {
        case (.bool, .bool), (.int, .integer), (.float, .integer), (.float, .number), (.string, .string): return true
        case (.optional(let wrapped), _): return conforms(value, to: wrapped)
        case (.array(let element), .array(let values)): return values.allSatisfy { conforms($0, to: element) }
        case (.map(let element), .object(let values)): return values.values.allSatisfy { conforms($0, to: element) }
        case (.enumeration(let cases), .string(let name)): return cases.contains(.init(name))
        case (.structure(let fields), .object(let values)):
            return Set(fields.map(\.name)) == Set(values.keys)
                && fields.allSatisfy { field in values[field.name].map { conforms($0, to: field.type) } ?? false }
        default: return false
        }
    }
}

/// The checks see what they are there to see.
@Suite(.timeLimit(.minutes(10))) struct SchemaTests {
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
