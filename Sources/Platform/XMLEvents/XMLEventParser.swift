import CExpat
import Glibc

/// An event parser for XML documents. It wraps expat, reports line numbers and stops at the first violation.
///
/// A class because expat hands its callbacks one pointer.
package final class XMLEventParser {
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
    ///   - receive: called with each event and its position. Parsing ends when it returns false.
    /// - Throws: ``XMLFault`` if the document is not well-formed before parsing ends.
    package static func over(
        _ bytes: [UInt8], encoding: String? = nil, _ receive: (XMLEvent, XMLPosition) -> Bool
    ) throws(XMLFault) {
        var rest: [UInt8]? = bytes
        try over(encoding: encoding, pieces: { rest.take() ?? [] }, receive)
    }

    /// Parses a document that comes in pieces, the last of which is followed by an empty one.
    package static func over(
        encoding: String? = nil, pieces: () -> [UInt8], _ receive: (XMLEvent, XMLPosition) -> Bool
    ) throws(XMLFault) {
        guard let parser = XML_ParserCreate(encoding) else {
            throw XMLFault(
                line: 1, reason: "there is not enough memory to read this", isCutShort: false,
                isOfAnotherEncoding: false)
        }
        defer { XML_ParserFree(parser) }
        let status = withoutActuallyEscaping(receive) { receive in
            let eventParser = XMLEventParser(parser: parser, receive: receive)
            eventParser.setHandlers()
            return withExtendedLifetime(eventParser) {
                while true {
                    let piece = pieces()
                    let status = piece.withUnsafeBytes {
                        XML_Parse(
                            parser, $0.bindMemory(to: CChar.self).baseAddress, CInt($0.count),
                            CInt(piece.isEmpty ? XML_TRUE : XML_FALSE))
                    }
                    if piece.isEmpty || status != XML_STATUS_OK { return status }
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
            ].contains(error),
            isOfAnotherEncoding: [XML_ERROR_INVALID_TOKEN, XML_ERROR_INCORRECT_ENCODING].contains(error))
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
                XMLEventParser.at(data)?.meet(.start(XMLTag(start: name, list: attributes)))
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
        XML_SetUnknownEncodingHandler(
            parser,
            { _, name, encoding in
                guard let name, let encoding, XMLEventParser.describe(name, to: encoding) else {
                    return CInt(XML_STATUS_ERROR.rawValue)
                }
                return CInt(XML_STATUS_OK.rawValue)
            }, nil)
        XML_SetSkippedEntityHandler(parser) { data, entity, _ in
            if let entity { XMLEventParser.at(data)?.meet(.unknownEntity(String(cString: entity))) }
        }
    }

    private static func at(_ data: UnsafeMutableRawPointer?) -> XMLEventParser? {
        data.map { Unmanaged<XMLEventParser>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Describes an encoding of one byte a character, such as windows-1252, to expat, which knows only UTF-8, UTF-16,
    /// ISO-8859-1 and US-ASCII itself. Returns false for others.
    private static func describe(_ name: UnsafePointer<CChar>, to encoding: UnsafeMutablePointer<XML_Encoding>) -> Bool
    {
        let converter = iconv_open("UTF-32LE", name)
        guard converter != iconv_t(bitPattern: -1) else { return false }
        defer { iconv_close(converter) }
        var known = 0
        withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
            let map = map.bindMemory(to: CInt.self)
            for byte in 0..<256 {
                var (source, scalar) = (CChar(bitPattern: UInt8(byte)), UInt32(0))
                let isConverted = withUnsafeMutablePointer(to: &source) { source in
                    withUnsafeMutableBytes(of: &scalar) { target in
                        var (input, inputCount): (UnsafeMutablePointer<CChar>?, Int) = (source, 1)
                        var (output, room) = (target.bindMemory(to: CChar.self).baseAddress, 4)
                        return iconv(converter, &input, &inputCount, &output, &room) == 0 && room == 0
                    }
                }
                // Resets the state after an invalid byte, or the first of several.
                iconv(converter, nil, nil, nil, nil)
                map[byte] = isConverted ? CInt(scalar) : -1
                if isConverted { known += 1 }
            }
        }
        (encoding.pointee.data, encoding.pointee.convert, encoding.pointee.release) = (nil, nil, nil)
        // Encodings of several bytes a character leave most of the upper half open.
        return known >= 200
    }
}
