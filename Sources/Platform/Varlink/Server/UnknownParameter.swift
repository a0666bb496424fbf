import TextSupport
import StrictJSON
import VarlinkIDL

/// A parameter that a method does not have, a member that a structure in its parameters does not have, or a name that is no case
/// of its enumeration.
struct UnknownParameter: Equatable {
    /// The path, `a.b` for the member `b` of the parameter `a`, with elements of arrays as `a[0]`; followed by the name that was
    /// probably meant, if there is one. The standard's error has no other member for that.
    let description: String

    /// The longest name that is repeated to the peer, in characters.
    private static let longestName = 64

    /// Finds the first one; `nil` if all are known.
    init?(in parameters: JSONOutline, of method: InterfaceDescription.Method, _ interface: InterfaceDescription) {
        var search = Search(interface: interface)
        search.check(parameters, method.input, "")
        guard let found = search.found else { return nil }
        self = found
    }

    private init(at path: String, case name: String, known: [String]) {
        description = path + (known.suggestion(for: name).map { " (did you mean \($0)?)" } ?? "")
    }

    private init(_ name: String, in path: String, known: [String]) {
        let shown = name.count > Self.longestName ? "\(name.prefix(Self.longestName))…" : name
        let hint = known.suggestion(for: name).map { " (did you mean \($0)?)" } ?? ""
        description = (path.isEmpty ? shown : "\(path).\(shown)") + hint
    }

    private struct Search {
        let interface: InterfaceDescription
        var found: UnknownParameter?

        /// Checks the members of an object against the fields of a structure.
        mutating func check(_ object: JSONOutline, _ fields: [VarlinkType.Field], _ path: String) {
            for (name, value) in object.all where found == nil {
                guard let field = fields.first(where: { $0.name == name }) else {
                    found = UnknownParameter(name, in: path, known: fields.map(\.name))
                    return
                }
                check(value, field.type, path.isEmpty ? name : "\(path).\(name)")
            }
        }

        /// Checks the structures in a value. A value of the wrong type is refused when it is decoded.
        private mutating func check(_ value: JSONOutline.Value, _ type: VarlinkType, _ path: String) {
            switch type {
            case .optional(let wrapped): check(value, wrapped, path)
            case .named(let name):
                if case .type(let declaration) = interface.member(name) { check(value, declaration.type, path) }
            case .structure(let fields):
                if let object = value.object { check(object, fields, path) }
            case .array(let element):
                switch resolved(element) {
                case .structure(let fields):
                    guard let objects = value.objects else { return }
                    for (index, object) in objects.enumerated() where found == nil {
                        check(object, fields, "\(path)[\(index)]")
                    }
                case .enumeration:
                    guard let elements = value.elements else { return }
                    for (index, name) in elements.enumerated() where found == nil {
                        check(name, element, "\(path)[\(index)]")
                    }
                default: break
                }
            case .map(let element):
                guard case .structure = resolved(element), let object = value.object else { return }
                for (name, value) in object.all where found == nil { check(value, element, "\(path).\(name)") }
            case .enumeration(let cases):
                guard let name = value.string, !cases.contains(where: { $0.name == name }) else { return }
                found = UnknownParameter(at: path, case: name, known: cases.map(\.name))
            case .bool, .int, .float, .string, .object, .any: break
            }
        }

        /// The declaration that a name stands for; other types as they are.
        private func resolved(_ type: VarlinkType) -> VarlinkType {
            guard case .named(let name) = type, case .type(let declaration) = interface.member(name) else {
                return type
            }
            return resolved(declaration.type)
        }
    }
}
