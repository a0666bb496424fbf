/// Checks that gpsd does not publish every fix to every local user beside its sockets. It has two such exports, which none of
/// its options turns off: a System V shared memory segment, and a signal on the system bus.
package struct ExportsCheck: Check {
    /// The key of gpsd's segment: "GPSD" in ASCII, `GPSD_SHM_KEY` in its sources.
    package static let key = 0x4750_5344
    /// The key in hexadecimal, as people and Perl read it.
    static let keyText = "0x\(String(key, radix: 16))"
    /// The variable that keeps gpsd from the bus, in the environment of its unit: an address of no kind that libdbus supports.
    static let busAddress = "DBUS_SYSTEM_BUS_ADDRESS=disabled:"

    /// The permissions of gpsd's segment, which also stays after gpsd has ended; `nil` if there is none.
    package var segmentMode: Evidence<UInt32?>
    /// True if a process of gpsd is connected to the system bus.
    package var isOnBus: Evidence<Bool>
    /// gpsd's unit.
    package var unit: Evidence<UnitState>
    /// True if `--fix` can close them.
    package var isFixable = true

    /// True if every local user can read the segment.
    package var isSegmentOpen: Bool { segmentMode.value.flatMap(\.self).map { $0 & 0o004 != 0 } ?? false }

    /// True if an export is seen to be open.
    package var isOpen: Bool { isSegmentOpen || isOnBus.value == true }

    /// True if the unit starts gpsd without exports.
    var isUnitClosed: Bool { unit.value?.environment.contains(Self.busAddress) ?? false }

    package var findings: [Finding] { [segmentFinding, busFinding] }

    private var segmentFinding: Finding {
        let name = "gpsd's shared memory"
        switch segmentMode {
        case .hidden(let reason): return .notChecked(.gpsdSharedMemory, name, reason)
        case .seen(let mode?) where isSegmentOpen:
            return .problem(
                .gpsdSharedMemory,
                "every local user can read where you are, without your permission, in gpsd's shared memory (key "
                    + "\(Self.keyText), mode \(String(mode, radix: 8)))",
                remedy: remedy(.gpsdSharedMemory))
        case .seen(nil) where isUndetermined: return .notChecked(.gpsdSharedMemory, name, "gpsd does not run now")
        case .seen: return .ok(.gpsdSharedMemory, "gpsd publishes nothing in shared memory")
        }
    }

    private var busFinding: Finding {
        let name = "gpsd's signals on the system bus"
        return switch isOnBus {
        case .hidden(let reason): .notChecked(.gpsdBus, name, reason)
        case .seen(true):
            .problem(
                .gpsdBus,
                "gpsd tells every local user where you are, without your permission, by signals on the system bus",
                remedy: remedy(.gpsdBus))
        case .seen(false) where isUndetermined: .notChecked(.gpsdBus, name, "gpsd does not run now")
        case .seen(false): .ok(.gpsdBus, "gpsd is not connected to the system bus (gpxlogger needs -e sockets)")
        }
    }

    /// True if nothing shows what gpsd will publish once it runs.
    private var isUndetermined: Bool {
        guard let unit = unit.value, unit.isLoaded else { return false }
        return !unit.isActive && !isUnitClosed
    }

    private func remedy(_ topic: Topic) -> String {
        let step =
            if isUnitClosed {
                "gpsd.service no longer allows it, so this gpsd was started earlier or in another way. End it, then run: "
                    + GPSDCheck.restart
            } else if isFixable {
                "To close gpsd to all but locationd, run: sudo locationctl doctor --fix"
            } else {
                "Start gpsd with \(Self.busAddress) in its environment, after a segment of one byte and mode 0 has been "
                    + "created with its key."
            }
        return step + "\nIf other programs need it, run: locationctl doctor --accept \(topic.rawValue)"
    }
}
