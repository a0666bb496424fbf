import GPSDProtocol

/// What a program sends to gpsd's port, in pieces separated by NUL.
enum GPSDCommandsFuzz {
    static func run(_ input: [UInt8]) throws {
        let pieces = input.split(separator: 0)
        let requests = try requests(in: pieces.map(Array.init))
        var policy = GPSDWatchPolicy()
        for request in requests {
            if case .watch(let watch?) = request { policy.merge(watch) }
            for reply in replies(to: request, policy) { try check(reply) }
        }
        // Text that is refused goes as far as what has come with it; all else does not depend on the pieces.
        let isWhole = requests.allSatisfy {
            switch $0 {
            case .unrecognized, .tooLong, .foreign: false
            default: true
            }
        }
        guard isWhole, requests == (try self.requests(in: [Array(pieces.joined())])) else { return }
        try Finding.unless(
            requests == (try self.requests(in: pieces.joined().map { [$0] })), "the pieces make a difference")
    }

    private static func requests(in pieces: [[UInt8]]) throws(Finding) -> [GPSDRequest] {
        var parser = GPSDRequestParser()
        var requests: [GPSDRequest] = []
        for piece in pieces {
            parser.append(piece)
            while let request = parser.next() { requests.append(request) }
            try Finding.unless(parser.byteCount <= GPSDRequestParser.longest, "more is kept than a command may have")
        }
        return requests
    }

    /// The answers that repeat what the program has sent.
    private static func replies(to request: GPSDRequest, _ policy: GPSDWatchPolicy) -> [String] {
        switch request {
        case .watch: [GPSDReply.watch(policy), GPSDReply.error("No such device as \(policy.device ?? "")")]
        case .unrecognized(let text): [GPSDReply.error("Unrecognized request '\(text)'")]
        default: []
        }
    }

    /// An answer is one line of gpsd's protocol, and no sentence of NMEA begins in it.
    private static func check(_ reply: String) throws(Finding) {
        let bytes = Array(reply.utf8)
        try Finding.unless(bytes.count <= 10_240 - 2, "an answer is too long")
        try Finding.unless(bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f && $0 != 0x24 }, "an answer has \(reply)")
        try Finding.unless((try? GPSDLine(bytes)) != nil, "an answer is not of the protocol: \(reply)")
    }
}
