import VarlinkIDL

/// The methods of a service, and the encoded replies of `org.varlink.service`.
struct ServiceDirectory: Sendable {
    private struct Info: Encodable {
        let vendor, product, version, url: String
        let interfaces: [String]
    }

    private struct Description: Encodable {
        let description: String
    }

    private struct DescriptionRequest: Decodable {
        let interface: String
    }

    private let interfaces: [String: InterfaceDescription]
    private let information: EncodedReply
    private let descriptions: [String: EncodedReply]

    /// - Throws: an ``InterfaceDescriptionError`` or `EncodingError`; a correct program causes neither.
    init(_ service: some VarlinkService) throws {
        let all = [try InterfaceDescription(InterfaceDescription.serviceText)] + service.interfaces
        let about = service.information
        interfaces = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        information = try EncodedReply(
            Info(
                vendor: about.vendor, product: about.product, version: about.version, url: about.url,
                interfaces: all.map(\.name)),
            continues: false)
        descriptions = try interfaces.mapValues {
            try EncodedReply(Description(description: $0.text), continues: false)
        }
    }

    /// A parameter of a call that its method does not have; `nil` if there is none.
    func unknownParameter(in call: CallMessage) -> UnknownParameter? {
        let name = MethodName(call.method)
        guard let interface = interfaces[name.interface], let method = interface.method(name.member),
            let outline = call.outline
        else { return nil }
        return UnknownParameter(in: outline, of: method, interface)
    }

    /// The handling of a call.
    enum Route {
        case session
        case reply(EncodedReply)
    }

    /// - Throws: the standard error for a call of an unknown method.
    func route(_ call: CallMessage) throws(VarlinkError) -> Route {
        let name = MethodName(call.method)
        guard let interface = interfaces[name.interface] else { throw .interfaceNotFound(name.interface) }
        guard interface.method(name.member) != nil else { throw .methodNotFound(call.method) }
        // An upgrade would hand the connection to another protocol, which no method here has.
        guard !call.wantsUpgrade else { throw .methodNotImplemented(call.method) }
        guard name.interface == InterfaceDescription.serviceName else { return .session }
        if name.member == "GetInfo" { return .reply(information) }
        let request = try call.parameters(as: DescriptionRequest.self)
        guard let description = descriptions[request.interface] else { throw .interfaceNotFound(request.interface) }
        return .reply(description)
    }
}

/// A method's full name, split at its last dot. Without a dot, all of it is the interface.
struct MethodName {
    let interface: String
    let member: String

    init(_ name: String) {
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        interface = String(name[..<dot])
        member = String(name[dot...].dropFirst())
    }
}
