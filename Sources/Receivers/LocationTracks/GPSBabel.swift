import Glibc
import POSIXSupport

/// Conversion of other programs' formats by gpsbabel, unzip and gzip: a process of its own with limits of time, memory and output, because
/// a file may be hostile, and without a network where the kernel lets users have an empty one of their own.
enum GPSBabel {
    /// A format that gpsbabel reads, by the suffix of its files.
    enum Format: String, CaseIterable {
        case kml, kmz, fit, tcx, igc, nmea, csv

        /// The suffix of a file's name.
        var suffix: String { ".\(rawValue)" }

        /// gpsbabel's name of it.
        fileprivate var name: String {
            switch self {
            case .kmz: "kml"
            case .fit: "garmin_fit"
            case .tcx: "gtrnctr"
            case .csv: "unicsv"
            case .kml, .igc, .nmea: rawValue
            }
        }

        /// gpsbabel's name of it to write it. KML has times in one of the two kinds of its tracks only.
        fileprivate var writing: String { self == .kml ? "kml,track=1,points=0,lines=0" : name }

        /// The arguments that read it: tracks, routes and waypoints. IGC has each track twice, by the receiver and by the
        /// barometer; CSV has no tracks.
        fileprivate var reading: [String] {
            switch self {
            case .kml, .kmz, .fit, .tcx: ["-w", "-t", "-r", "-i", name]
            case .nmea, .igc: ["-t", "-i", name]
            case .csv: ["-i", name]
            }
        }

        fileprivate var filter: [String] {
            switch self {
            case .igc: ["-x", "track,name=GNSS*"]
            case .csv: ["-x", "transform,trk=wpt,del"]
            case .kml, .kmz, .fit, .tcx, .nmea: []
            }
        }

        /// The format of a file by its first bytes or its name; `nil` for another one.
        init?(_ bytes: ArraySlice<UInt8>, file: String) {
            let text = String(decoding: bytes, as: UTF8.self)
            if text.hasPrefix("<") {
                if text.contains("<kml") {
                    self = .kml
                } else if text.contains("<TrainingCenterDatabase") {
                    self = .tcx
                } else {
                    return nil
                }
            } else if text.hasPrefix("PK") {
                self = .kmz
            } else if bytes.dropFirst(8).starts(with: ".FIT".utf8) {
                self = .fit
            } else if text.hasPrefix("$GP") || text.hasPrefix("$GN") || text.hasPrefix("!AIVDM") {
                self = .nmea
            } else {
                let name = file.lowercased()
                guard let format = Self.allCases.first(where: { name.hasSuffix($0.suffix) }) else { return nil }
                self = format
            }
        }
    }

    /// A program and the package that has it.
    private struct Program {
        var path, package: String

        static let gpsbabel = Program(path: "/usr/bin/gpsbabel", package: "gpsbabel")
        static let unzip = Program(path: "/usr/bin/unzip", package: "unzip")
        static let shell = Program(path: "/bin/sh", package: "dash")
    }

    /// The limits: bytes of memory, seconds of the processor, and the time until it is killed.
    private static let (memory, processor, time) = (1 << 30, 30, Duration.seconds(60))

    /// Reads the track in a file.
    static func read(_ format: Format, _ content: TrackContent) throws(TrackError) -> Track {
        if let descriptor = content.descriptor { return try read(format, descriptor, file: content.file) }
        let copy = try TemporaryFile(content.bytes(), for: content.file)
        defer { withExtendedLifetime(copy) {} }
        return try read(format, copy.descriptor, file: content.file)
    }

    /// The content of a file that gzip has compressed, once.
    static func unpacked(_ content: TrackContent) throws(TrackError) -> TrackContent {
        let file = content.file
        let input = content.descriptor == nil ? try TemporaryFile(content.bytes(), for: file) : nil
        let output = try TemporaryFile([], for: file)
        defer { withExtendedLifetime(input) {} }
        _ = try run(
            .shell, ["-c", "exec gzip -dc </dev/fd/3 >/dev/fd/4"],
            [3: content.descriptor ?? input?.descriptor ?? -1, 4: output.descriptor], file: file,
            failure: "gzip cannot decompress this, or it is more than \(Track.maximumFileSize >> 20) MiB")
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try DescriptorIO.read(upTo: Track.maximumFileSize, from: output.descriptor)
        } catch {
            throw TrackError(file: file, verb: "read", code: error.code)
        }
        guard !bytes.starts(with: [0x1f, 0x8b]) else {
            throw TrackError(file: file, reason: "this is compressed by gzip more than once")
        }
        return TrackContent(bytes, file: file)
    }

    private static func read(_ format: Format, _ descriptor: CInt, file: String) throws(TrackError) -> Track {
        let failure = "gpsbabel cannot read this as \(format.rawValue.uppercased()), or finds no points in it"
        func convert(_ descriptor: CInt) throws(TrackError) -> String {
            try run(
                .gpsbabel,
                ["-p", ""] + format.reading + ["-f", "/dev/fd/3"] + format.filter + ["-o", "gpx", "-F", "-"],
                [3: descriptor], file: file, failure: failure)
        }
        let text: String
        if format == .kmz {
            let document = try run(
                .unzip, ["-p", "/dev/fd/3", "*.kml"], [3: descriptor], file: file,
                failure: "this has no KML in it, or more than \(Track.maximumFileSize >> 20) MiB")
            let copy = try TemporaryFile(Array(document.utf8), for: file)
            defer { withExtendedLifetime(copy) {} }
            text = try convert(copy.descriptor)
        } else {
            text = try convert(descriptor)
        }
        var track: Track
        do throws(TrackError) {
            track = try GPXReader.read(TrackContent(Array(text.utf8), file: file))
        } catch {
            // A line of gpsbabel's GPX is not a line of the file.
            throw TrackError(file: file, reason: error.reason)
        }
        track.removeLinesOfTracks()
        guard track.pointCount > 0 || !track.waypoints.isEmpty else { throw TrackError(file: file, reason: failure) }
        return track
    }

    /// Converts GPX to another format.
    static func write(_ format: Format, _ gpx: [UInt8], file: String) throws(TrackError) -> [UInt8] {
        let input = try TemporaryFile(gpx, for: file)
        let output = try TemporaryFile([], for: file)
        defer { withExtendedLifetime(input) {} }
        _ = try run(
            .gpsbabel, ["-p", "", "-w", "-t", "-i", "gpx", "-f", "/dev/fd/3", "-o", format.writing, "-F", "/dev/fd/4"],
            [3: input.descriptor, 4: output.descriptor], file: file,
            failure: "gpsbabel cannot write this as \(format.rawValue.uppercased())")
        do throws(Errno) {
            return try DescriptorIO.read(upTo: Track.maximumFileSize, from: output.descriptor)
        } catch {
            throw TrackError(file: file, verb: "written", code: error.code)
        }
    }

    /// The command that runs a program without a network; empty where the kernel does not let users have an empty one.
    private static let isolation: [String] = {
        let command = ["/usr/bin/unshare", "--user", "--net", "--"]
        return (try? ProgramLaunch(command + ["/bin/true"]).run().code) == 0 ? command : []
    }()

    private static func run(
        _ program: Program, _ arguments: [String], _ descriptors: [CInt: CInt], file: String, failure: String
    ) throws(TrackError) -> String {
        guard access(program.path, X_OK) == 0 else {
            throw TrackError(
                file: file,
                reason: "this format takes the program \(program.package). To install it, run: sudo apt install "
                    + program.package)
        }
        let limited = [
            "/usr/bin/prlimit", "--as=\(memory)", "--cpu=\(processor)", "--core=0", "--nofile=64",
            "--fsize=\(Track.maximumFileSize)", "--", program.path,
        ]
        let result = try? ProgramLaunch(
            isolation + limited + arguments, environment: ["LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"],
            descriptors: descriptors
        ).run(limit: Track.maximumFileSize, time: time)
        guard let result, result.code == 0 else { throw TrackError(file: file, reason: failure) }
        return result.output
    }
}

extension Track {
    /// Removes the segments without times that repeat the points of one with times: KML has many tracks as both.
    fileprivate mutating func removeLinesOfTracks() {
        let timed = Set(
            segments.lazy.filter { $0.points.contains { $0.time != nil } }.map { $0.points.map(\.coordinate) })
        segments.removeAll { segment in
            segment.points.allSatisfy { $0.time == nil } && timed.contains(segment.points.map(\.coordinate))
        }
    }
}

/// A file without a name, which ends with the object.
private final class TemporaryFile {
    let descriptor: CInt

    init(_ bytes: [UInt8], for file: String) throws(TrackError) {
        var name = Array("/tmp/locationd-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw TrackError(file: file, verb: "converted") }
        unlink(name)
        do throws(Errno) {
            try DescriptorIO.write(bytes, to: descriptor)
        } catch {
            close(descriptor)
            throw TrackError(file: file, verb: "converted", code: error.code)
        }
    }

    deinit { close(descriptor) }
}
