import NIOCore

/// A call as it came from the peer: the envelope decoded, the parameters not yet.
struct CallMessage: Equatable {
    let method: String
    let wantsMore: Bool
    let isOneway: Bool
    let wantsUpgrade: Bool
    /// Decoded when the session says as what.
    private let parameters: MessageParameters

    /// How much memory it takes, nearly.
    var heldBytes: Int { parameters.byteCount + method.utf8.count }

    /// - Throws: ``VarlinkError`` `InvalidParameter`, naming the field of the message that is wrong or repeated, or
    ///   `message` if it is not a JSON object in UTF-8 at all.
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

    /// The parameters; absent, null and `{}` mean the same.
    ///
    /// - Throws: `InvalidParameter` with the path of the one that is missing or wrong.
    func parameters<T: Decodable>(as type: T.Type) throws(VarlinkError) -> T {
        do {
            return try parameters.decode(type)
        } catch {
            throw .invalidParameter(ParameterPath(of: error)?.description ?? "parameters")
        }
    }

    /// What the log says of a message whose error this is.
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
