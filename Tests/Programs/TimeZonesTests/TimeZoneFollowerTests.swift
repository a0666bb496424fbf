import LocationModel
import Testing
import TimeZones

/// A machine that travels, with a clock that the test turns.
private struct Traveller {
    private(set) var follower: TimeZoneFollower
    private(set) var now = Timestamp(secondsSince1970: 1_800_000_000)
    var machineZone: String?
    /// The names of one zone.
    private let aliases = ["Asia/Calcutta": "Asia/Kolkata"]

    init(_ machineZone: String? = "Europe/Berlin", memory: TimeZoneFollower.Memory = .init()) {
        self.machineZone = machineZone
        follower = TimeZoneFollower(memory: memory)
    }

    /// Lets minutes pass, and gives the follower a location.
    mutating func move(to zone: String?, minutes: Int = 5) {
        now = now.advanced(by: .seconds(60 * minutes))
        let name = machineZone.map { aliases[$0] ?? $0 }
        let change = follower.receive(
            zone: zone, at: now, machineZone: machineZone, isMachineZone: zone != nil && zone == name)
        guard let change else { return }
        machineZone = change
        follower.hasSet(change)
    }

    /// Stays where it is, so that no location comes, for as long as the follower waits for one.
    mutating func remain(in zone: String) {
        guard let wait = follower.wait else { return }
        move(to: zone, minutes: Int(wait / .seconds(60)))
    }

    /// Stays in a zone for half an hour.
    mutating func stay(in zone: String?) { for _ in 0..<6 { move(to: zone) } }

    /// Starts the follower again, with what it remembers.
    mutating func restart() { follower = TimeZoneFollower(memory: follower.memory) }
}

@Suite("The time zone that follows")
struct TimeZoneFollowerTests {
    @Test("the zone is set after ten minutes in another one, and not before") func followsAfterTenMinutes() {
        var machine = Traveller()
        machine.move(to: "Europe/Berlin")
        machine.move(to: "Europe/London")
        machine.move(to: "Europe/London", minutes: 9)
        #expect(machine.machineZone == "Europe/Berlin")
        machine.move(to: "Europe/London", minutes: 1)
        #expect(machine.machineZone == "Europe/London")
    }

    @Test("a machine that gets one location and stays there follows after ten minutes") func followsWithoutMoving() {
        var machine = Traveller()
        machine.move(to: "Europe/Berlin")
        // It wakes for nothing.
        #expect(machine.follower.wait == nil)
        machine.move(to: "Europe/London")
        #expect(machine.follower.wait == .seconds(600))
        machine.move(to: "Europe/London", minutes: 4)
        #expect(machine.follower.wait == .seconds(360))
        machine.remain(in: "Europe/London")
        #expect(machine.machineZone == "Europe/London" && machine.follower.wait == nil)
        machine.move(to: nil)
        #expect(machine.follower.wait == nil)
    }

    @Test("the quiet time ends for a machine that stays where it is, too, and not before")
    func endsTheQuietWithoutMoving() {
        var machine = Traveller()
        machine.stay(in: "Europe/London")
        machine.machineZone = "Europe/Berlin"
        machine.move(to: "Europe/London")
        #expect(machine.follower.wait == nil)
        machine.move(to: "Europe/Berlin")
        machine.remain(in: "Europe/Berlin")
        #expect(machine.machineZone == "Europe/Berlin" && machine.follower.wait == nil)
        machine.move(to: "Europe/London")
        machine.remain(in: "Europe/London")
        #expect(machine.machineZone == "Europe/London")
    }

    @Test("a zone that could not be set is tried again where the machine stays") func triesAgainWithoutMoving() {
        var follower = TimeZoneFollower()
        let start = Timestamp(secondsSince1970: 0)
        func receive(_ second: Int) -> String? {
            follower.receive(
                zone: "B", at: start.advanced(by: .seconds(second)), machineZone: "A", isMachineZone: false)
        }
        let tries = [receive(0), receive(600)]
        #expect(tries == [nil, "B"])
        follower.hasFailed()
        #expect(follower.wait == .seconds(600))
        let again = receive(1200)
        #expect(again == "B")
    }

    @Test("a flight over ten zones changes nothing until it has landed") func flies() {
        var machine = Traveller()
        let zones = [
            "Europe/Warsaw", "Europe/Minsk", "Europe/Moscow", "Europe/Samara", "Asia/Yekaterinburg", "Asia/Omsk",
            "Asia/Novosibirsk", "Asia/Krasnoyarsk", "Asia/Irkutsk", "Asia/Yakutsk",
        ]
        for zone in zones {
            machine.move(to: zone)
            machine.move(to: zone, minutes: 9)
            #expect(machine.machineZone == "Europe/Berlin")
        }
        machine.stay(in: "Asia/Tokyo")
        #expect(machine.machineZone == "Asia/Tokyo")
    }

    @Test("a train along a border keeps the zone while the location may be on either side") func ridesAlongABorder() {
        var machine = Traveller()
        for _ in 0..<20 {
            machine.move(to: "Europe/London", minutes: 8)
            machine.move(to: nil, minutes: 8)
            machine.move(to: "Europe/Berlin", minutes: 8)
        }
        for _ in 0..<20 {
            machine.move(to: "Europe/London", minutes: 8)
            machine.move(to: nil, minutes: 8)
        }
        #expect(machine.machineZone == "Europe/Berlin")
    }

    @Test("at sea, and without a location, the zone stays") func staysAtSea() {
        var machine = Traveller()
        machine.stay(in: nil)
        #expect(machine.machineZone == "Europe/Berlin")
    }

    @Test("a machine that wakes after a flight follows after ten minutes there") func wakesAfterAFlight() {
        var machine = Traveller()
        machine.stay(in: "Europe/Berlin")
        machine.move(to: "Europe/London")
        machine.move(to: "America/New_York", minutes: 480)
        #expect(machine.machineZone == "Europe/Berlin")
        machine.move(to: "America/New_York", minutes: 10)
        #expect(machine.machineZone == "America/New_York")
    }

    @Test("a zone that the user sets stays until the machine has been in another one") func respectsTheUser() {
        var machine = Traveller()
        machine.stay(in: "Europe/London")
        #expect(machine.machineZone == "Europe/London")
        machine.machineZone = "UTC"
        machine.stay(in: "Europe/London")
        #expect(machine.machineZone == "UTC")
        machine.stay(in: "Europe/Paris")
        #expect(machine.machineZone == "Europe/Paris")
        machine.stay(in: "Europe/London")
        #expect(machine.machineZone == "Europe/London")
    }

    @Test("an undo lasts until the machine has been in the old zone, also over restarts") func isUndone() {
        var machine = Traveller()
        machine.stay(in: "America/New_York")
        machine.machineZone = "Europe/Berlin"
        machine.restart()
        machine.stay(in: "America/New_York")
        machine.stay(in: nil)
        machine.restart()
        machine.stay(in: "America/New_York")
        #expect(machine.machineZone == "Europe/Berlin")
        machine.stay(in: "Europe/Berlin")
        machine.stay(in: "America/New_York")
        #expect(machine.machineZone == "America/New_York")
    }

    @Test("a zone that the user sets at sea stays at the place of the last location") func respectsTheUserAtSea() {
        var machine = Traveller()
        machine.stay(in: "Europe/Berlin")
        machine.machineZone = "UTC"
        machine.stay(in: nil)
        machine.stay(in: "Europe/Berlin")
        #expect(machine.machineZone == "UTC")
    }

    @Test("a passage through another zone does not end the quiet time") func staysQuietAfterAPassage() {
        var machine = Traveller()
        machine.stay(in: "Europe/Berlin")
        machine.machineZone = "UTC"
        machine.stay(in: "Europe/Berlin")
        machine.move(to: "Europe/Paris")
        machine.stay(in: "Europe/Berlin")
        #expect(machine.machineZone == "UTC")
    }

    @Test("another name of the machine's zone is the same zone") func knowsOldNames() {
        var machine = Traveller("Asia/Calcutta")
        machine.stay(in: "Asia/Kolkata")
        #expect(machine.machineZone == "Asia/Calcutta")
    }

    @Test("a machine without a zone gets that of its location") func setsTheFirstZone() {
        var machine = Traveller(nil)
        machine.stay(in: "Europe/Berlin")
        #expect(machine.machineZone == "Europe/Berlin")
    }

    @Test("a zone that could not be set is tried again after ten minutes") func triesAgain() {
        var follower = TimeZoneFollower()
        var changes: [Int] = []
        for minute in 0...33 {
            let time = Timestamp(secondsSince1970: Int64(60 * minute))
            if follower.receive(zone: "B", at: time, machineZone: "A", isMachineZone: false) != nil {
                changes.append(minute)
                follower.hasFailed()
            }
        }
        #expect(changes == [10, 20, 30])
    }

    @Test("a clock that is set back begins the ten minutes again") func takesAClockSetBack() {
        var follower = TimeZoneFollower()
        func receive(_ second: Int64) -> String? {
            follower.receive(
                zone: "B", at: Timestamp(secondsSince1970: second), machineZone: "A", isMachineZone: false)
        }
        #expect(receive(10_000) == nil)
        #expect(receive(5_000) == nil)
        #expect(receive(5_599) == nil)
        #expect(receive(5_600) == "B")
    }
}
