import FoundationEssentials
package import HTTPTypes
package import Hummingbird
import NIOCore

/// The files of the page: those in one directory.
package struct PageFiles: Sendable {
    /// The directory.
    package let directory: String

    package init(directory: String) { self.directory = directory }

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "woff2": "font/woff2",
        "txt": "text/plain; charset=utf-8",
    ]

    /// Returns the response with a file, compressed if a compressed one exists and the browser accepts it, and an HTML page in
    /// the browser's language; `nil` if there is none.
    ///
    /// The route guarantees a name without a slash. Files are read for each request, so that a replaced file is found.
    package func response(_ name: String, headers requested: HTTPFields) -> Response? {
        guard !name.hasPrefix("."), let dot = name.lastIndex(of: "."),
            let type = Self.types[String(name[name.index(after: dot)...])]
        else { return nil }
        let takesGzip = requested[.acceptEncoding]?.contains("gzip") == true
        let path = "\(directory)/\(name)"
        let compressed = takesGzip ? FileManager.default.contents(atPath: path + ".gz") : nil
        guard var data = compressed ?? FileManager.default.contents(atPath: path) else { return nil }
        if name.hasSuffix(".html"), compressed == nil {
            let html = String(decoding: data, as: UTF8.self)
            data = Data(
                PageTranslation.translated(html, to: requested[.acceptLanguage], from: directory).utf8)
        }
        var headers: HTTPFields = [
            .contentType: type, .cacheControl: "no-cache", .vary: "Accept-Encoding, Accept-Language",
        ]
        if compressed != nil { headers[.contentEncoding] = "gzip" }
        let tag = "\"\(data.count)-\(UInt(bitPattern: data.hashValue))\""
        headers[.eTag] = tag
        if requested[.ifNoneMatch] == tag { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }
}
