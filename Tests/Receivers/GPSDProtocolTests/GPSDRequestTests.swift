import Testing

@testable import GPSDProtocol

/// What clients send, as recorded from them or as hostile ones could.
@Suite("Commands of gpsd's clients", .timeLimit(.minutes(10))) struct GPSDRequestTests {
    /// The commands in a text that comes in pieces of this size.
    private func requests(_ text: String, pieces: Int = .max) -> [GPSDRequest] {
        var parser = GPSDRequestParser()
        var requests: [GPSDRequest] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            parser.append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            while let request = parser.next() { requests.append(request) }
        }
        return requests
    }

    @Test(
        "each client's way of sending commands is understood, in one piece or byte by byte",
        arguments: [
            // libgps, cgps, xgps.
            ("?WATCH={\"enable\":true,\"json\":true};\n", [.watch(.init(json: true))]),
            ("?WATCH={\"enable\":true,\"json\":true,\"scaled\":true}\n", [.watch(.init(json: true, scaled: true))]),
            ("?WATCH={\"enable\":true,\"nmea\":true};\r\n", [.watch(.init(nmea: true))]),
            // gps3 and OpenCPN send no line end, OpenCPN with a class and spaces.
            ("?WATCH={\"enable\":true,\"json\":true}", [.watch(.init(json: true))]),
            ("?WATCH={\"class\":\"WATCH\", \"nmea\":true}", [.watch(.init(nmea: true))]),
            // gpsd-py3.
            ("?WATCH={\"enable\":true}\n?POLL;\n?POLL;\n", [.watch(.init()), .poll, .poll]),
            ("?WATCH={\"enable\":false};\n", [.watch(.init(isEnabled: false))]),
            ("?WATCH={\"raw\":2,\"pps\":true}\r\n", [.watch(.init())]),
            ("?WATCH={\"device\":\"/dev/ttyUSB0\",\"json\":true}", [.watch(.init(json: true, device: "/dev/ttyUSB0"))]),
            (
                "?VERSION;?DEVICES;?DEVICE;?WATCH;?POLL;",
                [.version, .devices, .device(isChange: false), .watch(nil), .poll]
            ),
            ("?POLL\n;; \r\n ?DEVICES\r\n", [.poll, .devices]),
            ("?DEVICE={\"path\":\"/dev/a}b\",\"bps\":9600};?POLL;", [.device(isChange: true), .poll]),
            // Two in a row without anything between them.
            ("?WATCH={\"json\":true}?POLL;", [.watch(.init(json: true)), .poll]),
            // Meant for a receiver.
            ("$PUBX,40*1\r\n\u{b5}b?\u{6}\n?POLL;", [.poll]),
        ] as [(String, [GPSDRequest])])
    func wellKnown(text: String, expected: [GPSDRequest]) {
        #expect(requests(text) == expected)
        #expect(requests(text, pieces: 1) == expected)
        #expect(requests(text, pieces: 7) == expected)
    }

    @Test(
        "kinds of invalid commands are distinguished",
        arguments: [
            ("?WATCH={\"enable\":1};?POLL;", [.invalidWatch, .poll]),
            ("?WATCH={\"enable\":true\n?POLL;", [.invalidWatch, .poll]),
            ("?WATCH={\"a\":\"\\\"}\"};?POLL;", [.watch(.init()), .poll]),
            ("?WATCH={};", [.watch(.init())]),
            ("?WATCH={{}};?POLL;", [.invalidWatch, .poll]),
            ("?WATCH=1;?POLL;", [.unrecognized("?WATCH=1;?POLL;")]),
            ("?NOTHING;?POLL;\n?POLL;", [.unrecognized("?NOTHING;?POLL;")]),
            ("?poll;", [.unrecognized("?poll;")]),
            ("?", []), ("?WATCH", []), ("?WATCH=", []), ("?WATCH={\"enable\":", []), ("", []),
            ("POST / HTTP/1.1\r\nHost: 127.0.0.1:2947\r\n\r\n?POLL;", [.foreign, .poll]),
        ] as [(String, [GPSDRequest])])
    func invalid(text: String, expected: [GPSDRequest]) {
        #expect(requests(text) == expected)
    }

    @Test("a line of HTTP is recognized wherever it is cut in two")
    func cutForeignLine() {
        let line = Array("GET /?WATCH={} HTTP/1.1\r\n".utf8)
        for cut in 1..<line.count {
            var parser = GPSDRequestParser()
            var requests: [GPSDRequest] = []
            for part in [line[..<cut], line[cut...]] {
                parser.append(part)
                while let request = parser.next() { requests.append(request) }
            }
            #expect(requests == [.foreign], "after \(cut) bytes")
        }
    }

    @Test("a command that is too long is refused, however it comes, and the next line counts")
    func tooLong() {
        let name = "?" + String(repeating: "A", count: 600)
        let object = "?WATCH={\"a\":\"" + String(repeating: "b", count: 600)
        for text in [name, object] {
            #expect(requests(text + "\n?POLL;\n") == [.tooLong, .poll])
            #expect(requests(text + "\n?POLL;\n", pieces: 100) == [.tooLong, .poll])
            #expect(requests(text + "\n?POLL;\n", pieces: 1) == [.tooLong, .poll])
        }
        let fitting = "?WATCH={\"a\":\"" + String(repeating: "b", count: 512 - 15) + "\"}"
        #expect(fitting.utf8.count == 512)
        #expect(requests(fitting) == [.watch(.init())])
    }

    @Test("ignored text is not kept")
    func memory() {
        var parser = GPSDRequestParser()
        for _ in 0..<1000 {
            parser.append([UInt8](repeating: 0xb5, count: 1024))
            #expect(parser.next() == nil)
            #expect(parser.byteCount == 0)
        }
    }

    @Test("strings in answers cannot end early, or start a sentence of NMEA")
    func quoting() {
        #expect(GPSDReply.quoted("/dev/a") == "\"/dev/a\"")
        #expect(GPSDReply.quoted("a\"b\\c$d*e!f\nég") == "\"a.b.c.d.e.f..g\"")
    }
}
