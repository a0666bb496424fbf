import NIOCore
import StrictJSON

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
        do throws(JSONFlaw) {
            outline = try JSONOutline(Array(message.readableBytesView))
        } catch {
            guard case .repeatedName(let path) = error else { throw .invalidParameter("message") }
            throw .invalidParameter(path.droppingPrefix("parameters."))
        }
        guard let method = outline["method"]?.string else { throw .invalidParameter("method") }
        self.method = method
        wantsMore = try Self.flag("more", outline["more"])
        isOneway = try Self.flag("oneway", outline["oneway"])
        wantsUpgrade = try Self.flag("upgrade", outline["upgrade"])
        let parameters = outline["parameters"]
        guard parameters?.isObject ?? true else { throw .invalidParameter("parameters") }
        self.parameters = MessageParameters(parameters?.text)
    }

    /// The members of the parameters; `nil` without any.
    var outline: JSONOutline? { parameters.outline }

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

    private static func flag(_ name: String, _ value: JSONOutline.Value?) throws(VarlinkError) -> Bool {
        guard let value else { return false }
        guard let flag = value.boolean else { throw .invalidParameter(name) }
        return flag
    }
}

extension String {
    fileprivate func droppingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
