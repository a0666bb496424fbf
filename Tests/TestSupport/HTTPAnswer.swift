/// What a server answers.
package struct HTTPAnswer {
    package var status = 0
    /// By their names in small letters.
    package var headers: [String: String] = [:]
    package var body = ""

    /// The text of a request with the headers that a browser sends; `nil` leaves one out.
    package static func request(
        _ method: String, _ path: String, port: Int, cookie: String?, headers: [String: String?] = [:],
        body: String = "", close: Bool = true
    ) -> String {
        var all: [String: String?] = [
            "Host": "127.0.0.1:\(port)", "Cookie": cookie, "Connection": close ? "close" : "keep-alive",
        ]
        if method == "POST" {
            all["Origin"] = "http://127.0.0.1:\(port)"
            all["Content-Type"] = "application/json"
            all["Content-Length"] = "\(body.utf8.count)"
        }
        all.merge(headers) { $1 }
        let lines = all.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
        return "\(method) \(path) HTTP/1.1\r\n" + lines.joined() + "\r\n" + body
    }

    /// Sends a request and reads to the end of the connection.
    package static func of(port: Int, _ request: String) async throws -> HTTPAnswer {
        let wire = try await Wire.connect(toPort: port)
        await wire.send(request)
        var answer = try await head(from: wire)
        while let line = try await wire.receive() { answer.body += line + "\n" }
        await wire.close()
        return answer
    }

    /// The user that a program runs as. Only root may run one as another user.
    package enum User {
        case root, nobody
    }

    /// Sends a request from a program of a user, and reads to the end of the connection. Returns the bytes that came as a text, and
    /// `END`.
    package static func read(_ request: String, port: Int, by user: User) async throws -> String {
        // The server may close before all is written.
        let script = #"""
            trap '' PIPE
            exec 3<>/dev/tcp/127.0.0.1/$0; printf '%s' "$1" >&3 2>/dev/null; cat <&3 2>/dev/null; echo END
            """#
        let prefix =
            switch user {
            case .root: [String]()
            case .nobody: ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            }
        return try await ChildProcess.run(prefix + ["/bin/bash", "-c", script, "\(port)", request]).output
    }

    package static func head(from wire: Wire) async throws -> HTTPAnswer {
        var answer = HTTPAnswer()
        while let line = try await wire.receive()?.filter({ $0 != "\r" && $0 != "\r\n" }), !line.isEmpty {
            if answer.status == 0 {
                answer.status = Int(line.split(separator: " ").dropFirst().first ?? "") ?? -1
            } else {
                let parts = line.split(separator: ":", maxSplits: 1)
                answer.headers[parts[0].lowercased()] = parts.last.map { $0.drop { $0 == " " } }.map(String.init)
            }
        }
        return answer
    }
}
