import FoundationEssentials
import Glibc
import LocationModel
import LocationSharing
import TestSupport
import Testing

@testable import SharingProgram

@Suite("Sharing, from the location service to the webhook", .timeLimit(.minutes(10)))
struct ShareRunnerTests {
    @Test("a share sends the position, and its end has the service forget it")
    func life() async throws {
        try await SharingSite.with { site in
            #expect(try await site.share("check", "home").contains("knows the URL"))
            #expect(try await site.server.request().content._type == "lwt")
            let started = try await site.share("start", "home", "--for", "2h", "--no-service")
            #expect(started.contains("device_tracker.ann_van"))
            let program = try await site.run()
            let request = try await site.server.request()
            let latitude = try #require(request.content.lat)
            #expect(abs(latitude - DaemonSite.latitude) < 0.01)
            #expect(request.headers["X-Limit-D"] == "van")
            let clients = try await site.daemon.site.locationctl("history").output
            #expect(clients.contains("org.locationd.share"))
            #expect(try await site.share("status").contains("shared until"))
            try await site.share("stop", "home")
            try await site.end()
            #expect(try await program.exitCode() == 0)
            #expect(try site.directory.state(of: "home").isShowing == false)
            #expect(try await site.share("status").contains("not shared"))
            try await site.share("remove", "home")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: site.directory.path).sorted()
                    == ["destinations.json", "lock", "sending"])
        }
    }

    @Test("a newer service's positions are sent, whatever unknown values they have")
    func newerService() async throws {
        try await SharingSite.with { site in
            try await site.share("start", "home", "--no-service")
            try await NextVersion.run { socket in
                let program = try await site.run(environment: ["LOCATIOND_SOCKET": socket])
                #expect(try await site.message("van", isEnd: false).content.lat == 60)
                program.signal(SIGTERM)
                _ = try await program.exitCode()
            }
        }
    }

    @Test("a share until arrival ends at the place, and an unknown place is refused with the known ones")
    func arrival() async throws {
        try await SharingSite.with { site in
            let place = ["\(DaemonSite.latitude + 0.003)", "\(DaemonSite.longitude)"]
            try await site.control(["places", "add", "depot"] + place + ["--radius", "150"])
            let refused = try await site.attempt(["start", "home", "--until-arrival", "dept", "--no-service"])
            #expect(refused.code == 1 && refused.errors.contains("There are: depot."))
            let started = try await site.share("start", "home", "--until-arrival", "depot", "--no-service")
            #expect(started.contains("or until you arrive at depot"))
            let program = try await site.run()
            #expect(try await site.server.request().content.lat != nil)
            try await site.end()
            #expect(try await program.exitCode() == 0)
            #expect(try await site.share("status").contains("ended"))
        }
    }

    @Test("a denied share sends only the end, and continues when it is allowed again")
    func denied() async throws {
        try await SharingSite.with { site in
            try await site.share("start", "home", "--no-service")
            let program = try await site.run()
            #expect(try await site.server.request().content.lat != nil)
            #expect(try await site.daemon.site.locationctl("deny", "org.locationd.share").code == 0)
            try await site.end()
            #expect(try await site.share("status").contains("You do not allow"))
            #expect(try await site.daemon.site.locationctl("allow", "--always", "org.locationd.share").code == 0)
            #expect(try await site.server.request().content.lat != nil)
            #expect(try await site.daemon.site.locationctl("off").code == 0)
            try await site.end()
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test("a program that was killed sends the end that it has missed, and no position")
    func killed() async throws {
        try await SharingSite.with { site in
            try await site.share("start", "home", "--no-service")
            let program = try await site.run()
            #expect(try await site.server.request().content.lat != nil)
            program.signal(SIGKILL)
            _ = try await program.exitCode()
            let refused = try await site.attempt(["remove", "home"])
            #expect(refused.code == 1 && refused.errors.contains("may still show your position"))
            // The share ends while nobody sends.
            try site.directory.change { $0[0].share?.until = .now() }
            let next = try await site.run()
            #expect(try await site.server.request().content.lat == nil)
            #expect(try await next.exitCode() == 0)
            #expect(try await site.share("status").contains("ended"))
        }
    }

    @Test(
        "a starting service receives the position after some attempts, and one that redirects is tried again and named in the status"
    )
    func faults() async throws {
        try await SharingSite.with("starting") { site in
            try await site.share("start", "home", "--no-service")
            let program = try await site.run()
            for _ in 0..<3 { #expect(try await site.server.request().content.lat != nil) }
            try await program.error(containing: "home accepts the position again.")
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
        try await SharingSite.with("redirect") { site in
            try await site.share("start", "home", "--no-service")
            let program = try await site.run()
            for _ in 0..<3 { #expect(try await site.server.request().content.lat != nil) }
            let status = try await site.share("status")
            #expect(status.contains("shared until") && status.contains("redirects to https://localhost."))
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test(
        "a wrong URL stops the share with one sentence and a notification that stays, and without a desktop the log says why",
        .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
    func wrongURL() async throws {
        let bus = try await BusUnderTest.start()
        let desktop = try await DesktopUnderTest(bus.address, capabilities: ["body"])
        try await SharingSite.with(.dawarich, "\ntoken") { site in
            try site.directory.setURL("not-a-URL\n", of: "home")
            try await site.share("start", "home", "--no-service")
            let program = try await site.run(bus: bus.address)
            let shown = try await desktop.next("the notification")
            #expect(shown.hasPrefix("Notify Your position is no longer shared with home.\n"))
            #expect(shown.hasSuffix("After you have solved it, run: locationctl share start home"))
            #expect(!shown.contains("not-a-URL"))
            #expect(try await program.exitCode() == 0)
            #expect(try await site.share("status").contains("stopped by a problem"))

            try await site.share("start", "home", "--no-service")
            let alone = try await site.run()
            try await alone.error(containing: "no notification tells the user so. There is no session bus")
            #expect(try await alone.exitCode() == 0)
        }
        try await desktop.close()
    }

    @Test(
        "a share without end is named at each login, in the terminal or in a notification, and one with an end is not",
        .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
    func reminder() async throws {
        let bus = try await BusUnderTest.start()
        let desktop = try await DesktopUnderTest(bus.address)
        let session = ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        try await SharingSite.with { site in
            try await site.share("start", "home", "--no-service")
            #expect(try await site.share("remind") == "")
            try await site.share("start", "home", "--indefinitely", "--no-service")
            let line = try await site.share("remind")
            #expect(
                line.contains("receives your position until you stop it. To stop it, run: locationctl share stop home"))
            #expect(!line.contains("webhook"))
            let result = try await site.attempt(["remind", "--desktop"], environment: session)
            #expect(result.code == 0 && result.output.isEmpty)
            let shown = try await desktop.next("the notification")
            #expect(shown.hasPrefix("Notify Your position is shared without end. Home Assistant at https://localhost:"))
            let without = try await site.attempt(
                ["remind", "--desktop"], environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/none"])
            #expect(without.code == 1 && without.errors.contains("There is no session bus"))
            try await site.share("stop", "home")
            #expect(try await site.share("remind") == "")
        }
        try await desktop.close()
    }

    @Test("a start mentions that its end is tomorrow, and what plain HTTP reveals in another network")
    func started() async throws {
        try await SharingSite.with { site in
            // A zone where it is not near midnight.
            let time = Timestamp.now().description.dropFirst(11).prefix(5)
            let isMorning = time < "12:00"
            let local = isMorning ? String(time) : "\(Int(time.prefix(2))! - 12):\(time.suffix(2))"
            let zone = ["TZ": isMorning ? "UTC" : "WEST12"]
            let start = ["start", "home", "--no-service"]
            let tomorrow = try await site.attempt(start + ["--until", local], environment: zone)
            #expect(tomorrow.output.contains("\(local.count < 5 ? "0" : "")\(local) tomorrow."), "\(tomorrow)")
            #expect(!tomorrow.output.contains("another network"))
            let today = try await site.attempt(start + ["--for", "1h"], environment: zone)
            #expect(!today.output.contains("tomorrow"))

            let file = site.home.path + "/url"
            try "http://192.168.1.2:8123/api/webhook/known\n".write(toFile: file, atomically: true, encoding: .utf8)
            try await site.share("add", "plain", "homeassistant", "--url-file", file, "--plain-http")
            let plain = try await site.share("start", "plain", "--no-service")
            #expect(
                plain.contains("whoever has the address http://192.168.1.2:8123 there gets your position and the URL"))
        }
    }

    @Test("the URL is in its file only, which must be the user's own")
    func secret() async throws {
        try await SharingSite.with { site in
            for arguments in [["list"], ["status", "--format", "json"], ["check", "home"]] {
                let result = try await site.attempt(arguments)
                #expect(result.code == 0 && !(result.output + result.errors).contains("webhook/known"))
            }
            let file = site.directory.path + "/home.url"
            #expect(chmod(file, 0o640) == 0)
            let wide = try await site.attempt(["check", "home"])
            #expect(wide.code == 78 && wide.errors.contains("chmod 600 \(file)"))
            #expect(chmod(file, 0o600) == 0 && chmod(site.directory.path, 0o750) == 0)
            let open = try await site.attempt(["status"])
            #expect(open.code == 78 && open.errors.contains("chmod 700 "))
            #expect(chmod(site.directory.path, 0o700) == 0)
        }
    }

    @Test("files that an earlier release has written, without thinning, queue or place, are read")
    func earlier() throws {
        let home = try TemporaryDirectory()
        let directory = ShareDirectory(path: home.path + "/share")
        try directory.prepare()
        let key = (0..<16).map { "\($0)" }.joined(separator: ",")
        for (file, text) in [
            (
                "destinations.json",
                #"[{"allowsPlain":false,"device":"van","gridKey":[\#(key)],"name":"home","origin":"https://ha.example","service":"#
                    + #""homeassistant","share":{"accuracy":"full","isPaused":false,"started":"2026-11-21T08:30:00.000Z"},"#
                    + #""user":"ann"}]"#
            ), ("home.state.json", #"{"isShowing":true}"#),
        ] {
            try text.write(toFile: directory.path + "/" + file, atomically: true, encoding: .utf8)
            #expect(chmod(directory.path + "/" + file, 0o600) == 0)
        }
        let share = try #require(try directory.destinations()[0].share)
        #expect(share.thinning == nil && share.queue == nil && share.arrival == nil)
        #expect(try directory.state(of: "home").isShowing)
    }

    @Test("a URL that has no file is the unit's credential")
    func credential() throws {
        let home = try TemporaryDirectory()
        let directory = ShareDirectory(path: home.path + "/share", credentials: home.path)
        #expect(throws: ShareDirectoryError.noURL("home")) { try directory.url(of: "home") }
        // As systemd gives it to another user than root: by a list of access, which shows as the group's right.
        try "https://ha.example/credential".write(toFile: home.path + "/home.url", atomically: true, encoding: .utf8)
        #expect(chmod(home.path + "/home.url", 0o440) == 0)
        #expect(try directory.url(of: "home") == "https://ha.example/credential")
        try directory.prepare()
        try directory.setURL("https://ha.example/file", of: "home")
        #expect(try directory.url(of: "home") == "https://ha.example/file")
    }

    @Test("a typed URL and key are not shown")
    func typed() async throws {
        let home = try TemporaryDirectory()
        let terminal = try await TerminalProcess(
            [Products.locationdShare, "add", "depot", "traccar"], environment: ["XDG_STATE_HOME": home.path])
        // Nothing is shown from here on.
        _ = try await terminal.line()
        await terminal.type("https://typed-host.example")
        var lines = [try await terminal.line() ?? ""]
        #expect(lines[0].contains("not shown"))
        await terminal.type("typed-identifier")
        lines += try await terminal.rest()
        #expect(try await terminal.exitCode() == 0)
        #expect(lines.contains { $0.contains("Traccar at https://typed-host.example") })
        #expect(lines.count { $0.contains("typed-host") } == 1 && !lines.contains { $0.contains("typed-identifier") })
        let directory = ShareDirectory(path: home.path + "/locationd/share")
        #expect(try directory.url(of: "depot") == "https://typed-host.example\ntyped-identifier")
    }

    @Test("nothing is shared without permission at any time, and the command explains how to give it")
    func notAllowed() async throws {
        try await SharingSite.with { site in
            #expect(try await site.daemon.site.locationctl("deny", "org.locationd.share").code == 0)
            let result = try await site.attempt(["start", "home", "--no-service"])
            #expect(result.code == 77)
            #expect(result.errors.contains("locationctl allow --always org.locationd.share"))
            #expect(try site.directory.destinations()[0].share == nil)
        }
    }

    @Test("removing a destination cancels its request, and the others go on")
    func removedMeanwhile() async throws {
        try await SharingSite.with("held") { site in
            try await site.add("other", .homeassistant, "/api/webhook/known", device: "car")
            try await site.share("start", "home", "--no-service")
            let program = try await site.run()
            _ = try await site.message("van", isEnd: false)
            try await site.share("remove", "home", "--force")
            var held: Double?
            while held == nil { held = try await site.server.request().content.held }
            // Its time is 30 s.
            #expect(held! < 25)
            #expect(try await program.exitCode() == 0)
        }
    }

    @Test("with proxies in the environment the connection is direct")
    func proxies() async throws {
        try await SharingSite.with { site in
            try await site.share("start", "home", "--no-service")
            let names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
            let program = try await site.run(
                environment: Dictionary(uniqueKeysWithValues: names.map { ($0, "http://127.0.0.1:1") }))
            #expect(try await site.server.request().content.lat != nil)
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test("deny and off report at once that a service may still show the position if its end cannot be sent")
    func deniedWithoutProgram() async throws {
        try await SharingSite.with { site in
            try await site.share("start", "home", "--no-service")
            let program = try await site.run()
            #expect(try await site.server.request().content.lat != nil)
            #expect(try await site.control(["off"]) == "")
            try await site.end()
            try await site.control(["on"])
            #expect(try await site.server.request().content.lat != nil)
            program.signal(SIGKILL)
            _ = try await program.exitCode()
            for command in [["off"], ["on"], ["deny", "org.locationd.share"]] {
                let said = try await site.control(command)
                let expected =
                    "home (Home Assistant at https://localhost:\(site.server.port)) may still show the position"
                #expect(said.hasPrefix(expected) == (command != ["on"]), "\(said)")
                #expect(said.contains("systemctl --user restart locationd-share.service") == (command != ["on"]))
            }
            let status = try await site.share("status")
            #expect(
                status.contains(
                    "It may still show your position, and the program that tells it to forget it does not run."))
            let next = try await site.run()
            try await site.end()
            while try site.directory.state(of: "home").isShowing { await Task.yield() }
            #expect(try await !site.share("status").contains("may still show"))
            next.signal(SIGTERM)
            _ = try await next.exitCode()
        }
    }

    @Test("a damaged state stops its share only, whose service is told to forget the position, and status reports it")
    func damagedState() async throws {
        try await SharingSite.with { site in
            try await site.add("other", .homeassistant, "/api/webhook/known", device: "car")
            try await site.share("start", "home", "--no-service")
            try await site.share("start", "other", "--no-service")
            let file = site.directory.path + "/other.state.json"
            try "{".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(chmod(file, 0o600) == 0)
            let before = try await site.share("status")
            #expect(before.contains("What was known of this share is lost") && before.contains("home: Home Assistant"))
            let program = try await site.run()
            var isAwaited = ["van": false, "car": true]
            while !isAwaited.isEmpty {
                let request = try await site.server.request()
                let device = request.headers["X-Limit-D"] ?? ""
                if isAwaited[device] == (request.content.lat == nil) { isAwaited[device] = nil }
            }
            while try site.directory.stateOrStop(of: site.directory.destinations()[1]).isShowing { await Task.yield() }
            let status = try await site.share("status")
            #expect(status.contains("stopped by a problem") && status.contains("What was known of this share is lost"))
            try await site.share("start", "other", "--no-service")
            _ = try await site.message("car", isEnd: false)
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test("a URL that others may read, or a queue, stops its share only")
    func badFiles() async throws {
        try await SharingSite.with { site in
            for (name, device) in [("other", "car"), ("third", "bus")] {
                try await site.add(name, .owntracks, "/pub\nann:pass", device: device)
                try await site.share("start", name, "--keep-unsent", "--no-service")
            }
            try await site.share("start", "home", "--no-service")
            #expect(chmod(site.directory.path + "/other.url", 0o640) == 0)
            let queue = site.directory.queueFile(of: "third")
            try "".write(toFile: queue, atomically: true, encoding: .utf8)
            #expect(chmod(queue, 0o644) == 0)
            let program = try await site.run()
            _ = try await site.message("van", isEnd: false)
            #expect(chmod(queue, 0o600) == 0)
            try await site.share("start", "third", "--keep-unsent", "--no-service")
            _ = try await site.message("bus", isEnd: false)
            let status = try await site.share("status")
            #expect(status.contains("The URL of other is missing, or not valid any more."))
            program.signal(SIGTERM)
            let log = try await program.errors.rest()
            #expect(log.contains("chmod 600") && log.contains("Nothing is sent to third: \(queue) cannot be used"))
        }
    }

    @Test(
        "on a full disk no position is sent that could not be forgotten, and later everything, the end above all",
        .enabled("needs root") { geteuid() == 0 })
    func fullDisk() async throws {
        let home = try TemporaryDirectory()
        let mounting = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", home.path]
        #expect(try await ChildProcess.run(mounting).code == 0)
        defer { umount2(home.path, Int32(MNT_DETACH)) }
        func fill() {
            let file = open(home.path + "/filler", O_WRONLY | O_CREAT, 0o600)
            while write(file, [UInt8](repeating: 1, count: 4096), 4096) > 0 {}
            close(file)
        }
        try await SharingSite.with(home: home) { site in
            try await site.add("other", .traccar, "/\nvan-0a1b", device: "car")
            try await site.share("start", "home", "--no-service")
            try await site.share("start", "other", "--keep-unsent", "--no-service")
            fill()
            let program = try await site.run()
            try await program.error(containing: "Nothing is sent until what is sent can be on record.")
            // Traccar cannot forget a position, so that it gets it.
            while try await site.server.request().times.isEmpty { continue }
            unlink(home.path + "/filler")
            _ = try await site.message("van", isEnd: false)
            fill()
            for _ in 0..<10 { while try await site.server.request().times.isEmpty { continue } }
            try await site.control(["deny", "org.locationd.share"])
            _ = try await site.message("van", isEnd: true)
            try await site.control(["allow", "--always", "org.locationd.share"])
            unlink(home.path + "/filler")
            _ = try await site.message("van", isEnd: false)
            program.signal(SIGTERM)
            _ = try await program.exitCode()
            let log = try await program.errors.rest()
            #expect(log.split(separator: "\n").count { $0.contains("other.queue") } <= 1, "\(log)")
        }
    }

    @Test("a second program does not send what the first one does")
    func second() async throws {
        try await SharingSite.with { site in
            try await site.share("start", "home", "--no-service")
            let program = try await site.run()
            _ = try await site.server.request()
            let other = try await site.attempt(["run"])
            #expect(other.code == 1 && other.errors.contains("sends your position already"))
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }
}
