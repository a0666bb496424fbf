import LocationModel
import Varlink
import VarlinkIDL

/// A service of the next version: it has all that the descriptions of this version promise, and more.
///
/// Its replies are made of the descriptions. Each structure has a member that this version does not know, and the value of each
/// enumeration to which cases may be added is a new one. A stream has a reply with each optional member by itself and one with all,
/// and stays open.
package enum NextVersion {
    /// What this version does not know: the name of each new case, member and error.
    package static let name = "laterOne"
    /// The text of each string, which is a time, too.
    package static let text = Timestamp.now().description
    /// The sentence of each new error.
    package static let sentence = "The moon is in the way. Wait until it has gone."

    /// Runs a test with such a service. The test is given the socket.
    package static func run(
        isolation: isolated (any Actor)? = #isolation, test: (String) async throws -> Void
    ) async throws {
        let interfaces = try ScriptedService.interfaces()
        try await ScriptedService.run {
            answer($0, interfaces)
        } test: { socket, _ in
            try await test(socket)
        }
    }

    /// Runs a test with a service that answers each call with an error that is new.
    package static func runFailing(test: (String) async throws -> Void) async throws {
        try await ScriptedService.run { call in
            let interface = call.method.split(separator: ".").dropLast().joined(separator: ".")
            let parameters = NextValue.members(["message": .text(sentence), name: .number(1)])
            call.fail(VarlinkError(name: "\(interface).\(name)", parameters: parameters))
        } test: { socket, _ in
            try await test(socket)
        }
    }

    /// The enumerations to which no cases are added, by name.
    private static let closed = ["Status": "authorizedAlways", "Accuracy": "full"]

    private static func answer(_ call: ServerCall, _ interfaces: [InterfaceDescription]) {
        let parts = call.method.split(separator: ".")
        guard let interface = interfaces.first(where: { $0.name == parts.dropLast().joined(separator: ".") }),
            let method = parts.last.flatMap({ interface.method(String($0)) })
        else { return call.fail(.methodNotFound(call.method)) }
        let all = members(method.output, in: interface) { _ in true }
        guard call.wantsMore else { return call.reply(all) }
        for field in method.output {
            call.reply(members(method.output, in: interface) { $0 == field.name }, continues: true)
        }
        call.reply(all, continues: true)
    }

    private static func members(
        _ fields: [VarlinkType.Field], in interface: InterfaceDescription, has: (String) -> Bool = { _ in true }
    ) -> NextValue {
        var members = [name: NextValue.members([name: .list([.number(1)])])]
        for field in fields {
            if case .optional = field.type, !has(field.name) { continue }
            members[field.name] = value(field.type, in: interface)
        }
        // A condition has one shape.
        if members["circle"] != nil { members["polygon"] = nil }
        return .members(members)
    }

    private static func value(_ type: VarlinkType, in interface: InterfaceDescription) -> NextValue {
        switch type {
        case .bool: .flag(true)
        case .int, .float: .number(60)
        case .string: .text(text)
        case .object, .any: .members([:])
        case .array(let element): .list([value(element, in: interface)])
        case .map(let element): .members([name: value(element, in: interface)])
        case .optional(let wrapped): value(wrapped, in: interface)
        case .structure(let fields): members(fields, in: interface)
        case .enumeration: .text(name)
        case .named(let declared):
            if let fixed = closed[declared] {
                .text(fixed)
            } else if case .type(let declaration) = interface.member(declared) {
                value(declaration.type, in: interface)
            } else {
                .members([:])
            }
        }
    }
}

/// A value of any type, to be sent.
private enum NextValue: Encodable, Sendable {
    case flag(Bool)
    case number(Int)
    case text(String)
    case list([NextValue])
    case members([String: NextValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .members(let values): try container.encode(values)
        }
    }
}
