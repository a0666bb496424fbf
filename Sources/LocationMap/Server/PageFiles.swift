import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// The files of the page: all that are in one directory, and nothing else.
struct PageFiles: Sendable {
    /// The directory.
    let directory: String

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "woff2": "font/woff2",
        "txt": "text/plain; charset=utf-8",
    ]

    /// The file called `name`, compressed if it is there so and the browser takes it; `nil` if there is none.
    ///
    /// The name has no slash: the route has seen to that. Files are read anew each time, so that one that is replaced is seen.
    func response(_ name: String, headers requested: HTTPFields) -> Response? {
        guard !name.hasPrefix("."), let dot = name.lastIndex(of: "."),
            let type = Self.types[String(name[name.index(after: dot)...])]
        else { return nil }
        let takesGzip = requested[.acceptEncoding]?.contains("gzip") == true
        let path = "\(directory)/\(name)"
        let compressed = takesGzip ? FileManager.default.contents(atPath: path + ".gz") : nil
        guard let data = compressed ?? FileManager.default.contents(atPath: path) else { return nil }
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-cache", .vary: "Accept-Encoding"]
        if compressed != nil { headers[.contentEncoding] = "gzip" }
        let tag = "\"\(data.count)-\(UInt(bitPattern: data.hashValue))\""
        headers[.eTag] = tag
        if requested[.ifNoneMatch] == tag { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }
}
