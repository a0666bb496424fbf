import NIOCore
import TestSupport
import Testing

@testable import Varlink

/// A conversation: the sent and received messages, and whether the connection ends.
struct Conversation: CustomTestStringConvertible, Sendable {
    let title: String
    let sent: [UInt8]
    let expected: [String]
    /// The server closes the connection and logs exactly one line, which contains this.
    var closes: String?

    init(_ title: String, _ sent: String, _ expected: [String], closes: String? = nil) {
        self.init(title, bytes: Array(sent.replacing("␀", with: "\0").utf8), expected, closes: closes)
    }

    init(_ title: String, bytes: [UInt8], _ expected: [String], closes: String? = nil) {
        self.title = title
        self.sent = bytes
        self.expected = expected
        self.closes = closes
    }

    var testDescription: String { title }

    static let ping = #"{"method":"org.example.Ping.Ping","parameters":{"ping":"x"}}␀"#
    static let pong = #"{"parameters":{"pong":"x"}}"#

    static func service(_ error: String, _ parameter: String, _ value: String) -> String {
        #"{"error":"org.varlink.service.\#(error)","parameters":{"\#(parameter)":"\#(value)"}}"#
    }

    static func wrong(_ field: String) -> String { service("InvalidParameter", "parameter", field) }
    static let expectedMore = #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#

    static let calls: [Conversation] = [
        .init("a call", ping, [pong]),
        .init("two calls at once", ping + ping, [pong, pong]),
        .init("a call and half of the next", ping + "{\"meth", [pong]),
        .init("oneway is not answered", #"{"method":"org.example.Ping.Ping","oneway":true}␀"# + ping, [pong]),
        .init("oneway that fails", #"{"method":"org.example.No.No","oneway":true}␀"# + ping, [pong]),
        .init("oneway that is dropped", #"{"method":"org.example.Ping.Drop","oneway":true}␀"# + ping, [pong]),
        .init("absent parameters", #"{"method":"org.example.Ping.Ping"}␀"#, [wrong("ping")]),
        .init("null parameters", #"{"method":"org.example.Ping.Ping","parameters":null}␀"#, [wrong("ping")]),
        .init("empty parameters", #"{"method":"org.example.Ping.Ping","parameters":{}}␀"#, [wrong("ping")]),
        .init("wrong parameter", #"{"method":"org.example.Ping.Ping","parameters":{"ping":1}}␀"#, [wrong("ping")]),
        .init(
            "wrong nested parameter",
            #"{"method":"org.example.Ping.Nested","parameters":{"place":{"name":"n","position":{"x":1,"y":"2"}}}}␀"#,
            [wrong("place.position.y")]),
        .init(
            "missing nested parameter",
            #"{"method":"org.example.Ping.Nested","parameters":{"place":{"name":"n","position":{"x":1}}}}␀"#,
            [wrong("place.position.y")]),
        // The decoder does not report the position of such a number.
        .init(
            "a number too large", #"{"method":"org.example.Ping.Fail","parameters":{"code":1e999}}␀"#,
            [wrong("parameters")]),
        .init(
            "an integer too large",
            #"{"method":"org.example.Ping.Fail","parameters":{"code":99999999999999999999}}␀"#, [wrong("parameters")]),
        .init(
            "unknown keys", #"{"method":"org.example.Ping.Ping","x":[{}],"parameters":{"ping":"x","y":1}}␀"#, [pong]),
        .init(
            "the same name in several objects",
            #"{"method":"org.example.Ping.Ping","x":{"x":{"x":1}},"parameters":{"x":[{"x":1},{"x":2}],"ping":"x"}}␀"#,
            [pong]),
        .init(
            "names in other words",
            #"{"m\u0065thod":"org.example.Ping.P\u0069ng","parameters":{"p\u0069ng":"\ud834\udd1e","é":1,"è":2}}␀"#,
            [#"{"parameters":{"pong":"𝄞"}}"#]),
        .init(
            "more where one reply comes", #"{"method":"org.example.Ping.Twice","more":true}␀"#,
            [#"{"parameters":{},"continues":true}"#, #"{"parameters":{}}"#]),
        .init(
            "a stream", #"{"method":"org.example.Ping.Count","more":true,"parameters":{"to":2}}␀"# + ping,
            [#"{"parameters":{"number":1},"continues":true}"#, #"{"parameters":{"number":2}}"#, pong]),
        .init("a stream without more", #"{"method":"org.example.Ping.Count","parameters":{"to":2}}␀"#, [expectedMore]),
        .init(
            "a stream the session did not check", #"{"method":"org.example.Ping.Twice"}␀"# + ping,
            [expectedMore, pong]),
        .init(
            "an error", #"{"method":"org.example.Ping.Fail","parameters":{"code":3}}␀"#,
            [#"{"error":"org.example.Ping.Failed","parameters":{"code":3}}"#]),
        .init(
            "an unknown interface", #"{"method":"org.example.No.Ping"}␀"#,
            [service("InterfaceNotFound", "interface", "org.example.No")]),
        .init(
            "a method without an interface", #"{"method":"Ping"}␀"#,
            [service("InterfaceNotFound", "interface", "Ping")]),
        .init("an empty method", #"{"method":""}␀"#, [service("InterfaceNotFound", "interface", "")]),
        .init(
            "an unknown method", #"{"method":"org.example.Ping.No"}␀"#,
            [service("MethodNotFound", "method", "org.example.Ping.No")]),
        .init(
            "an error called as a method", #"{"method":"org.example.Ping.Failed"}␀"#,
            [service("MethodNotFound", "method", "org.example.Ping.Failed")]),
        .init(
            "upgrade", #"{"method":"org.example.Ping.Ping","upgrade":true}␀"#,
            [service("MethodNotImplemented", "method", "org.example.Ping.Ping")]),
        .init(
            "GetInfo", #"{"method":"org.varlink.service.GetInfo"}␀"#,
            [
                #"{"parameters":{"interfaces":["org.varlink.service","org.example.Ping"],"product":"Ping","#
                    + #""url":"https://example.org","vendor":"Example","version":"1"}}"#
            ]),
        .init(
            "an unknown description",
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"}}␀"#,
            [service("InterfaceNotFound", "interface", "a.b")]),
        .init(
            "a description of nothing", #"{"method":"org.varlink.service.GetInterfaceDescription"}␀"#,
            [wrong("interface")]),
        .init(
            "a dropped call", #"{"method":"org.example.Ping.Drop"}␀"#,
            [#"{"error":"org.example.Dropped","parameters":{}}"#]),
        .init(
            "a reply with NaN", #"{"method":"org.example.Ping.NaN"}␀"#,
            [#"{"error":"org.example.NotEncodable","parameters":{}}"#]),
    ]

    private static let notACall = "not a call"

    static let malformed: [Conversation] = [
        .init("not JSON", "hello␀" + ping, [wrong("message")], closes: notACall),
        .init("an empty message", "␀␀␀", [wrong("message")], closes: notACall),
        .init(
            "a repeated member", #"{"method":"a.b","more":true,"method":"a.b"}␀"#, [wrong("method")],
            closes: "wrong method"),
        .init(
            "a repeated member in other words", #"{"method":"a.b","m\u0065thod":"a.c"}␀"#, [wrong("method")],
            closes: "wrong method"),
        .init(
            "a repeated member that nobody knows", #"{"x":1,"method":"a.b","x":1}␀"#, [wrong("x")],
            closes: "wrong x"),
        .init(
            "a repeated parameter", #"{"method":"org.example.Ping.Ping","parameters":{"ping":"x","ping":"x"}}␀"#,
            [wrong("ping")], closes: "wrong ping"),
        .init(
            "a repeated member deep in the parameters",
            #"{"method":"org.example.Ping.Ping","parameters":{"ping":"x","y":[0,{"z":{"a":1,"b":2,"a":3}}]}}␀"#,
            [wrong("y[1].z.a")], closes: "wrong y[1].z.a"),
        .init(
            "a repeated parameter of a method without",
            #"{"method":"org.example.Ping.Hold","parameters":{"x":1,"x":2}}␀"#,
            [wrong("x")], closes: "wrong x"),
        .init("after a good call", ping + "{␀", [pong, wrong("message")], closes: notACall),
        .init("an array", "[]␀", [wrong("message")], closes: notACall),
        .init("trailing garbage", #"{"method":"a.b"} x␀"#, [wrong("message")], closes: notACall),
        .init("no method", "{}␀", [wrong("method")], closes: notACall),
        .init("method of a wrong type", #"{"method":1}␀"#, [wrong("method")], closes: notACall),
        .init("more of a wrong type", #"{"method":"a.b","more":1}␀"#, [wrong("more")], closes: notACall),
        .init("oneway of a wrong type", #"{"method":"a.b","oneway":"y"}␀"#, [wrong("oneway")], closes: notACall),
        .init(
            "parameters of a wrong type", #"{"method":"a.b","parameters":[1]}␀"#, [wrong("parameters")],
            closes: notACall),
        .init(
            "not UTF-8", bytes: Array(#"{"method":"a.b","x":""#.utf8) + [0xFF] + Array("\"}\0".utf8),
            [wrong("message")],
            closes: notACall),
        .init(
            "nested deeply", String(repeating: "[", count: 60_000) + "␀", [wrong("message")], closes: notACall),
        .init(
            "nested deeply inside",
            #"{"method":"a.b","parameters":{"a":"# + String(repeating: "[", count: 30_000)
                + String(repeating: "]", count: 30_000) + "}}␀", [wrong("message")], closes: notACall),
        .init(
            "longest message", bytes: Array(repeating: UInt8(ascii: " "), count: 65536) + [0], [wrong("message")],
            closes: notACall),
        .init(
            "too long a message", bytes: Array(repeating: UInt8(ascii: " "), count: 65537),
            [#"{"error":"org.example.TooLong","parameters":{"limit":65536}}"#], closes: "too long"),
    ]
}

@Suite(.timeLimit(.minutes(10))) struct ConversationTests {
    private func hold(_ conversation: Conversation, with peer: some Peer, log: LogRecorder) async throws {
        try await peer.send(ByteBuffer(bytes: conversation.sent))
        for expected in conversation.expected {
            // The order of keys is not part of the protocol.
            let received = try await peer.receive()
            #expect(try json(received) == json(expected), "received \(received ?? "the end")")
        }
        guard let reason = conversation.closes else { return try await peer.close() }
        // The peer has not closed its side: the server ends the connection.
        #expect(try await peer.receive() == nil)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains(reason) == true, "\(log.lines)")
        #expect(log.lines.first?.contains(#"the test\u{1B}[31m"#) == true, "\(log.lines)")
        try await peer.close()
    }

    @Test("conversations over a socket", arguments: Conversation.calls + Conversation.malformed)
    func overASocket(_ conversation: Conversation) async throws {
        try await TestServer.run { test in
            try await hold(conversation, with: SocketPeer(path: test.path), log: test.log)
        }
    }

    @Test("conversations in process", arguments: Conversation.calls)
    func inProcess(_ conversation: Conversation) async throws {
        let log = LogRecorder()
        try await hold(conversation, with: InProcessPeer(service: PingService(), log: log), log: log)
    }
}
