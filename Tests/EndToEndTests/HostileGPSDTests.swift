import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

/// Whoever is at gpsd's port says what they like. They can lie about where the receiver is, and nothing more.
@Suite("A malicious gpsd", .timeLimit(.minutes(10)))
struct HostileGPSDTests {
    private static func tpv(_ number: Int, latitude: Double = 48, rest: String = "") -> String {
        let time = Timestamp(nanosecondsSince1970: 1_790_000_000_000_000_000 + Int64(number) * 20_000_000)
        return #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":11.5\#(rest)}"#
            + "\n"
    }

    /// Lines of which none says where the receiver is.
    private static let lies: [String] = {
        func position(_ members: String) -> String { #"{"class":"TPV","device":"/dev/a","mode":3,\#(members)}"# }
        let device = (0..<100).map { #"{"class":"DEVICE","path":"/dev/\#($0)","driver":"x","activated":0}"# }
        return [
            "", "\0", "[]", "null", #"{"class":"TPV""#, #"{"class":5}"#, #"{"class":["TPV"]}"#,
            position(#""lat":NaN,"lon":11.5"#), position(#""lat":nan,"lon":inf"#),
            position(#""lat":1e308,"lon":1e308"#),
            position(#""lat":-1e308,"lon":11.5"#), position(#""lat":1e999,"lon":11.5"#),
            position(#""lat":90.0001,"lon":11.5"#), position(#""lat":48,"lon":180.5"#),
            position(#""lat":"48","lon":"11""#),
            position(#""lat":null,"lon":11.5"#), position(#""lat":[48],"lon":{"lon":11.5}"#), position(#""lon":11.5"#),
            position(#""lat":48,"lat":1e308,"lon":11.5,"lon":1e308"#),
            #"{"class":"TPV","device":"/dev/a","mode":"3","lat":48,"lon":11.5}"#,
            #"{"class":"TPV","device":5,"mode":3,"lat":48,"lon":11.5}"#,
            #"{"class":"TPV","device":"\#(String(repeating: "d", count: 500))","mode":3,"lat":48,"lon":11.5}"#,
            #"{"class":"SKY","device":"/dev/a","satellites":"# + String(repeating: "[", count: 8000),
            String(repeating: #"{"class":"#, count: 2000),
            #"{"class":"ERROR","message":"\n<0>locationd: forged\r\u001b[2J\u202e"}"#,
            #"{"class":"ERROR","message":"\u0000"}"#,
            #"{"class":"VERSION","release":"\u001b]0;x\u0007"}"#,
            #"{"class":"RTCM3","type":1005,"x":1e308}"#, #"{"class":"RTCM2","data":["U"]}"#,
            #"{"class":"AIS","lat":48}"#,
            #"{"class":"RAW"}"#, #"{"class":"TOFF"}"#, #"{"class":"PPS","real_sec":1e308}"#,
            #"{"class":"DEVICES","devices":[\#(device.joined(separator: ","))]}"#,
        ] + device
    }()

    /// A daemon, its gpsd after the first two fixes, and who subscribes in which way.
    private func run(
        _ test: (DaemonProcess, _ gpsd: Wire, _ subscriber: Wire) async throws -> Void
    ) async throws -> String {
        let scripted = try await ScriptedGPSD()
        let site = try DaemonSite()
        let daemon = try await site.start(gpsd: "127.0.0.1:\(scripted.port)")
        let subscriber = try await Wire.connect(to: site.socket)
        await subscriber.call("Location.Subscribe", more: true)
        let gpsd = try await scripted.watcher()
        await gpsd.send(Self.tpv(0) + Self.tpv(1))
        var others: [Wire] = []
        for other in [
            #"{"method":"org.locationd.Location.Follow","parameters":{"rate":60},"more":true}"#,
            #"{"method":"org.locationd.Location.Subscribe","parameters":{"heading":true,"distanceFilter":5,"minimumInterval":1},"more":true}"#,
            #"{"method":"org.locationd.Location.Subscribe","parameters":{"significantChanges":true},"more":true}"#,
            #"{"method":"org.locationd.Location.Subscribe","parameters":{"pausesLocationUpdatesAutomatically":true},"more":true}"#,
        ] {
            let wire = try await Wire.connect(to: site.socket)
            await wire.send(other + "\0")
            #expect(try await wire.receive() != nil)
            others.append(wire)
        }
        try await test(daemon, gpsd, subscriber)
        for other in others { await other.close() }
        let (code, log) = try await daemon.stop()
        #expect(code == 0)
        return log
    }

    /// Where it is until it is at `latitude`.
    private func latitudes(_ subscriber: Wire, upTo latitude: Double) async throws -> [Double] {
        var latitudes: [Double] = []
        while latitudes.last != latitude {
            let update = try await subscriber.reply(LocationInterface.Subscribe.Reply.self).parameters
            if let location = update?.location { latitudes.append(location.coordinate.latitude) }
        }
        return latitudes
    }

    @Test(
        "invalid numbers, types, depths, names and times make no location, and valid reports continue to count")
    func lies() async throws {
        let log = try await run { daemon, gpsd, subscriber in
            for _ in 0..<20 { await gpsd.send(Self.lies.joined(separator: "\n") + "\n") }
            // A megabyte without an end is not kept.
            for _ in 0..<64 { await gpsd.send(String(repeating: "x", count: 16_384)) }
            await gpsd.send(
                "\n" + Self.tpv(100, latitude: 50) + Self.tpv(101, latitude: 51) + Self.tpv(102, latitude: 52))
            #expect(try await latitudes(subscriber, upTo: 51).allSatisfy { [48, 50, 51].contains($0) })
            let status = try await daemon.site.status()
            #expect(status.sources[0].receivers.count <= 16)
            #expect(status.sources[0].receivers.contains { $0.device == "/dev/a" })
        }
        // It reported twenty errors.
        #expect(log.split(separator: "\n").count { $0.contains("reports an error") } == 1)
        #expect(log.contains("reports an error: \\n<0>locationd: forged"))
        #expect(
            log.unicodeScalars.allSatisfy {
                $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
            })
        #expect(log.split(separator: "\n").allSatisfy { !$0.hasPrefix("<0>") })
        #expect(!log.contains("11.5"))
    }

    @Test("times in the far past and future are wrong as documented, and later correct times are accepted")
    func times() async throws {
        _ = try await run { daemon, gpsd, subscriber in
            for time in [
                "0000-00-00T00:00:00Z", "-9999-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59.999Z",
                "99999999-01-01T00:00:00Z", "2262-04-11T23:47:16.854Z", "1970-01-01T00:00:01Z", "soon", "",
            ] {
                await gpsd.send(
                    #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(time)","lat":49.0,"lon":11.5}"# + "\n")
            }
            // After each silence the next time is believed. On a busy machine there can be one before the last of those
            // above arrives.
            var latitude: Double?
            while latitude != 50 {
                let update = try await subscriber.reply(LocationInterface.Subscribe.Reply.self).parameters
                if update?.diagnostic != nil {
                    await gpsd.send(Self.tpv(200, latitude: 50) + Self.tpv(201, latitude: 51))
                }
                latitude = update?.location?.coordinate.latitude ?? latitude
            }
        }
    }

    @Test("an unfinished line counts as silence, which is reported")
    func halfALine() async throws {
        _ = try await run { daemon, gpsd, subscriber in
            let half = Self.tpv(300).dropLast()
            #expect(await gpsd.send(String(half)))
            var diagnostic: LocationInterface.Diagnostic?
            while diagnostic == nil {
                await gpsd.send(" ")
                diagnostic = try await subscriber.reply(LocationInterface.Subscribe.Reply.self).parameters?.diagnostic
            }
            #expect(diagnostic == .locationUnavailable)
            #expect(try await daemon.site.status().isLocationAvailable == false)
        }
    }

    @Test("of locations without end some are left out, and every client is served")
    func flood() async throws {
        _ = try await run { daemon, gpsd, subscriber in
            await gpsd.send((2..<3000).map { Self.tpv($0) }.joined() + Self.tpv(4000, latitude: 50))
            try await daemon.site.status("the notice of too many locations") {
                $0.sources.first?.problem?.contains("more than 100 locations a second") == true
            }
            await subscriber.close()
            let asking = try await Wire.connect(to: daemon.site.socket)
            await asking.call("Location.GetLocation")
            // On a busy machine those of before may have gone stale.
            await gpsd.send(Self.tpv(5000, latitude: 50) + Self.tpv(5001, latitude: 50))
            #expect(try await asking.reply(LocationInterface.GetLocation.Reply.self).parameters?.location != nil)
            // Only who runs the service is told.
            #expect(try #require(try await asking.status().deliveries).publications < 3000)
        }
    }
}
