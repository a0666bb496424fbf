import CExpat

/// An event parser for XML documents. It wraps expat, reports line numbers and stops at the first violation.
///
/// A class because expat hands its callbacks one pointer.
package final class XMLEventParser {
    /// Separates namespace and name in expat's names; a character that XML does not allow.
    private static let separator: UInt8 = 1

    private let parser: XML_Parser
    private let receive: (XMLEvent, XMLPosition) -> Bool
    private var isStopped = false

    private init(parser: XML_Parser, receive: @escaping (XMLEvent, XMLPosition) -> Bool) {
        self.parser = parser
        self.receive = receive
    }

    /// Parses a whole document.
    ///
    /// - Parameters:
    ///   - bytes: the document.
    ///   - encoding: the encoding to use in place of the declared one; `nil` for the declared one.
    ///   - resolvingNamespaces: true to replace prefixes by namespaces.
    ///   - receive: called with each event and its position. Parsing ends when it returns false.
    /// - Throws: ``XMLFault`` if the document is not well-formed before parsing ends.
    package static func over(
        _ bytes: [UInt8], encoding: String? = nil, resolvingNamespaces: Bool = false,
        _ receive: (XMLEvent, XMLPosition) -> Bool
    ) throws(XMLFault) {
        let made =
            resolvingNamespaces
            ? XML_ParserCreateNS(encoding, XML_Char(separator)) : XML_ParserCreate(encoding)
        guard let parser = made else {
            throw XMLFault(line: 1, reason: "there is not enough memory to read this", isCutShort: false)
        }
        defer { XML_ParserFree(parser) }
        let status = withoutActuallyEscaping(receive) { receive in
            let eventParser = XMLEventParser(parser: parser, receive: receive)
            eventParser.setHandlers()
            return withExtendedLifetime(eventParser) {
                bytes.withUnsafeBytes {
                    XML_Parse(parser, $0.bindMemory(to: CChar.self).baseAddress, CInt($0.count), CInt(XML_TRUE))
                }
            }
        }
        let error = XML_GetErrorCode(parser)
        guard status != XML_STATUS_OK, error != XML_ERROR_ABORTED else { return }
        throw XMLFault(
            line: Int(XML_GetCurrentLineNumber(parser)),
            reason: XML_ErrorString(error).map { String(cString: $0) } ?? "error \(error.rawValue)",
            isCutShort: [
                XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
                XML_ERROR_UNCLOSED_CDATA_SECTION,
            ].contains(error))
    }

    /// Reports an event, unless a previous one stopped the parser: expat may still make a few calls after a stop.
    private func meet(_ event: XMLEvent) {
        let start = Int(XML_GetCurrentByteIndex(parser))
        let position = XMLPosition(
            line: Int(XML_GetCurrentLineNumber(parser)), bytes: start..<start + Int(XML_GetCurrentByteCount(parser)))
        guard !isStopped, !receive(event, position) else { return }
        isStopped = true
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private func setHandlers() {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { data, name, attributes in
                guard let name else { return }
                XMLEventParser.at(data)?.meet(.start(XMLName(name), attributes: XMLEventParser.attributes(attributes)))
            },
            { data, _ in XMLEventParser.at(data)?.meet(.end) })
        XML_SetCharacterDataHandler(parser) { data, text, length in
            text?.withMemoryRebound(to: UInt8.self, capacity: Int(length)) { text in
                XMLEventParser.at(data)?.meet(.text(UnsafeBufferPointer(start: text, count: Int(length))))
            }
        }
        XML_SetCommentHandler(parser) { data, _ in XMLEventParser.at(data)?.meet(.comment) }
        XML_SetXmlDeclHandler(parser) { data, _, encoding, _ in
            if let encoding { XMLEventParser.at(data)?.meet(.encoding(String(cString: encoding))) }
        }
        XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, hasDeclarations in
            XMLEventParser.at(data)?.meet(.doctype(hasDeclarations: hasDeclarations != 0))
        }
        XML_SetSkippedEntityHandler(parser) { data, entity, _ in
            if let entity { XMLEventParser.at(data)?.meet(.unknownEntity(String(cString: entity))) }
        }
    }

    private static func at(_ data: UnsafeMutableRawPointer?) -> XMLEventParser? {
        data.map { Unmanaged<XMLEventParser>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Converts expat's list of alternating names and values, ended by a null pointer.
    private static func attributes(_ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) -> [String: String] {
        guard var next = list else { return [:] }
        var attributes: [String: String] = [:]
        while let name = next.pointee, let value = (next + 1).pointee {
            attributes[String(cString: name)] = String(cString: value)
            next += 2
        }
        return attributes
    }
}

extension XMLName {
    /// Splits expat's name into namespace and local name.
    fileprivate init(_ name: UnsafePointer<XML_Char>) {
        let parts = String(cString: name).split(separator: "\u{1}", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            namespace: parts.count == 2 ? String(parts[0]) : nil,
            local: parts.last.map { String($0) } ?? "")
    }
}
