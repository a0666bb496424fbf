import NIOCore

/// A received call with decoded envelope and undecoded parameters.
struct CallMessage: Equatable {
    let method: String
    let wantsMore: Bool
    let isOneway: Bool
    let wantsUpgrade: Bool
    /// Decoded on request of the session.
    private let parameters: MessageParameters

    /// The approximate memory use.
    var heldBytes: Int { parameters.byteCount + method.utf8.count }

    /// - Throws: ``VarlinkError`` `InvalidParameter`, with the wrong or repeated field of the message, or `message` if
    ///   it is not a JSON object in UTF-8.
    init(_ message: ByteBuffer) throws(VarlinkError) {
        let outline: JSONOutline
        do throws(JSONOutline.Flaw) {
            outline = try JSONOutline(message)
        } catch {
            switch error {
            case .malformed: throw .invalidParameter("message")
            case .repeatedName(let path): throw .invalidParameter(path.droppingPrefix("parameters."))
            }
        }
        guard let method = outline["method"]?.jsonString else { throw .invalidParameter("method") }
        self.method = method
        wantsMore = try Self.flag("more", outline["more"])
        isOneway = try Self.flag("oneway", outline["oneway"])
        wantsUpgrade = try Self.flag("upgrade", outline["upgrade"])
        let parameters = outline["parameters"]
        guard parameters?.isJSONObject ?? true else { throw .invalidParameter("parameters") }
        self.parameters = MessageParameters(parameters)
    }

    /// The decoded parameters; absent, null and `{}` are equivalent.
    ///
    /// - Throws: `InvalidParameter` with the path of the missing or wrong parameter.
    func parameters<T: Decodable>(as type: T.Type) throws(VarlinkError) -> T {
        do {
            return try parameters.decode(type)
        } catch {
            throw .invalidParameter(ParameterPath(of: error)?.description ?? "parameters")
        }
    }

    /// The log message for a message with this error.
    static func reason(_ error: VarlinkError) -> String {
        guard case .string(let field) = error.parameters["parameter"] else {
            return "it sent a message that is not a call"
        }
        return "it sent a message that is not a call: wrong \(field)"
    }

    private static func flag(_ name: String, _ value: ArraySlice<UInt8>?) throws(VarlinkError) -> Bool {
        guard let value else { return false }
        guard let flag = value.jsonBool else { throw .invalidParameter(name) }
        return flag
    }
}

extension String {
    fileprivate func droppingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
