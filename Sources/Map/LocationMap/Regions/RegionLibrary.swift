import Glibc
public import MapTiles
import POSIXSupport

/// The installed regions, which the user can list, add and remove on the pages of a map.
///
/// A page sends the file of a region, which the command `locationctl map add` makes into one. One file is added at a time.
///
/// ```swift
/// map.regionLibrary = RegionLibrary(command: ["/usr/bin/locationctl", "map"])
/// ```
@MainActor
public final class RegionLibrary {
    /// A change of a region that is under way: it is added or removed.
    struct Job: Hashable, Encodable {
        /// The file that is added, or the region that is removed.
        var name: String
        /// The step, as a phrase.
        var step: String
        /// The completed part, 0 to 1; `nil` if it is unknown.
        var part: Double?
    }

    /// The reason for refusing a file.
    enum Refusal: Error { case busy, unusable, tooLarge, noRoom }

    /// The largest file, in bytes: larger than the extract of any country.
    static let maximumSize = 32 << 30
    /// The space that an extract needs meanwhile, in parts of its size: a copy, and six times as much for the command.
    private static let roomMeanwhile = 7

    weak var map: MapView?
    private(set) var job: Job?
    /// The reason why the last file was not added or the last region not removed; `nil` if it was.
    private(set) var problem: PageSentence?
    /// The readable regions as of the last reading.
    private(set) var installed: [MapRegion] = []
    /// Sentences about the others.
    private(set) var damages: [String] = []
    private let regions: MapRegions
    private let command: [String]
    /// The programs that the command needs for a file.
    var tools: (RegionSource) -> [RegionTool] = { $0.tools }
    private var upload: RegionUpload?
    private var process: pid_t?
    private var isCancelled = false

    /// Creates a library.
    ///
    /// - Parameters:
    ///   - regions: The regions that it adds to and removes from. Default those of the user and the machine.
    ///   - command: The program `locationctl map` with its arguments, to which those for adding and removing are appended.
    public init(regions: MapRegions = MapRegions(), command: [String]) {
        (self.regions, self.command) = (regions, command)
        reload()
    }

    /// Reads the directories again.
    func reload() {
        let found = regions.installed()
        (installed, damages) = (found.regions, found.problems.map(\.description))
    }

    /// Cancels the work: nothing unfinished is left.
    public func cancel() {
        isCancelled = true
        if let process { kill(process, SIGTERM) }
        upload?.discard()
    }

    // MARK: Adding

    /// Begins to receive a file.
    func begin(_ file: String, size: Int) throws(Refusal) -> RegionUpload {
        guard job == nil else { throw .busy }
        func refuse(_ refusal: Refusal, _ reason: String, _ values: [String: String] = [:]) -> Refusal {
            fail(PageSentence(about: file, reason, values))
            return refusal
        }
        guard let source = RegionSource(file: file) else {
            throw refuse(
                .unusable, "A region is made of an OpenStreetMap extract (.osm.pbf) or of vector tiles (.mbtiles).")
        }
        guard size > 0 else { throw refuse(.tooLarge, "The file is empty.") }
        guard size <= Self.maximumSize else {
            throw refuse(.tooLarge, "The file is larger than {size} GiB.", ["size": "\(Self.maximumSize >> 30)"])
        }
        if let missing = PageSentence(missing: tools(source)) {
            fail(missing)
            throw .unusable
        }
        guard let parent = regions.userDirectory else {
            throw refuse(.unusable, "You have no home directory for regions.")
        }
        let upload: RegionUpload
        do {
            upload = try RegionUpload(file: file, size: size, in: parent)
        } catch {
            throw refuse(
                .unusable, "It cannot be copied to {directory}: {reason}.",
                ["directory": parent, "reason": "\(error)"])
        }
        // A disk whose room is unknown counts as full.
        guard let free = try? FreeSpace.bytes(at: parent), free >= size * Self.roomMeanwhile else {
            upload.discard()
            throw refuse(
                .noRoom, "The disk with {directory} has too little room: {size} MB are needed meanwhile.",
                ["directory": parent, "size": "\(size * Self.roomMeanwhile / 1_000_000)"])
        }
        self.upload = upload
        start(Job(name: file, step: "Copying the file", part: 0))
        return upload
    }

    /// Shows how much of a file was received. Returns false if the user has cancelled it.
    func received(_ upload: RegionUpload, _ bytes: Int) -> Bool {
        guard upload === self.upload, !isCancelled else { return false }
        progress(step: nil, part: Double(bytes) / Double(upload.size))
        return true
    }

    /// Ends a file that was not received as a whole.
    func fail(_ upload: RegionUpload, _ reason: String, _ values: [String: String] = [:]) {
        upload.discard()
        guard upload === self.upload else { return }
        end(isCancelled ? nil : PageSentence(about: upload.file, reason, values))
    }

    /// Adds the region of a file that was received.
    func add(_ upload: RegionUpload) async {
        let problem = await run(
            ["add", "--progress", upload.path], about: upload.file, hiding: upload.directory + "/")
        upload.discard()
        end(problem)
    }

    // MARK: Removing

    /// Removes a region of the user.
    func remove(_ name: String) async {
        guard job == nil else { return }
        guard MapRegion.isName(name), installed.contains(where: { $0.name == name && !$0.isSystem }) else {
            return fail(PageSentence(about: name, "You have no such region."))
        }
        start(Job(name: name, step: "Removing it", part: nil))
        end(await run(["remove", name], about: name, hiding: nil))
    }

    // MARK: Running the command

    /// Runs the command; returns the reason if it fails.
    private func run(_ arguments: [String], about name: String, hiding directory: String?) async -> PageSentence? {
        guard !isCancelled else { return nil }
        var last = ""
        do {
            let (lines, process) = try RegionCommandOutput.start(command + arguments)
            self.process = process
            for await line in lines {
                if let step = RegionCommandOutput.step(in: line) {
                    progress(step: step.title, part: step.part)
                } else {
                    last = line
                }
            }
            // It has ended, or is about to: its number may soon be another's.
            self.process = nil
            let status = await RegionCommandOutput.wait(for: process)
            guard status != 0, !isCancelled else { return nil }
            // The command's own words, as it prints them.
            return last.isEmpty
                ? PageSentence(about: name, "The command has ended with status {status}.", ["status": "\(status)"])
                : PageSentence(about: name, directory.map { last.replacing($0, with: "") } ?? last)
        } catch {
            return PageSentence(
                about: name, "The command {command} cannot be started: {reason}.",
                ["command": command.joined(separator: " "), "reason": "\(error)"])
        }
    }

    private func start(_ job: Job) {
        (self.job, problem, isCancelled) = (job, nil, false)
        map?.changed(.regions)
    }

    /// Shows the progress, by whole percents.
    private func progress(step: String?, part: Double?) {
        guard var job else { return }
        if let step { job.step = step }
        job.part = part.map { ($0 * 100).rounded(.down) / 100 }
        guard job != self.job else { return }
        self.job = job
        map?.changed(.regions)
    }

    private func fail(_ reason: PageSentence) {
        problem = reason
        map?.changed(.regions)
    }

    private func end(_ problem: PageSentence?) {
        (job, upload, self.problem) = (nil, nil, problem)
        reload()
        map?.changed(.regions)
    }
}
