import CommandLineSupport
import FoundationEssentials
import Glibc
import MapTiles
import POSIXSupport
import PlaceSearch

/// Makes a region from a file, and installs it once it is complete.
struct RegionMaker {
    /// The directory of regions.
    let parent: String
    let interruption: Interruption
    /// True to print each percent of the progress for a program.
    var reportsParts = false

    /// Makes the region `name` from the file at `path`.
    func make(_ name: String, of path: String, _ source: RegionSource) throws(RegionError) -> RegionInformation {
        let size = try Self.size(of: path)
        try checkName(name, for: path)
        try RegionTool.require(source.tools)
        let draft = try RegionDraft(name: name, in: parent)
        interruption.watch(draft)
        defer { interruption.watch(nil) }
        do {
            let information =
                switch source {
                case .extract: try makeOfExtract(path, size: size, draft)
                case .archive: try makeOfArchive(path, size: size, draft)
                }
            try finish(information, draft)
            return information
        } catch {
            // A pending signal removes the draft and prints a message as well.
            interruption.waitIfPending()
            Progress.clearLine()
            let explained = Self.explained(error, parent)
            try draft.discard()
            throw explained
        }
    }

    /// Throws if the region was made from another file, which must not be replaced by mistake.
    private func checkName(_ name: String, for path: String) throws(RegionError) {
        guard let old = try? MapRegion(directory: "\(parent)/\(name)") else { return }
        let file = Self.file(path)
        guard RegionName.of(old.information.source) != RegionName.of(file) else { return }
        throw RegionError(
            "There is a region \(name) already, made of \(old.information.source). Give this one another name with --name, or remove "
                + "that one first: locationctl map remove \(name)")
    }

    // MARK: Extracts

    private func makeOfExtract(_ path: String, size: Int, _ draft: RegionDraft) throws(RegionError) -> RegionInformation
    {
        let configuration: String
        do {
            configuration = try MapData.streets()
        } catch {
            throw RegionError(error.description)
        }
        let estimate = Estimate(size: size)
        try Estimate.requireRoom(estimate.roomMeanwhile, in: parent, for: path)
        Terminal.complain(
            "\(Self.file(path)), \(HumanReadable.size(size)): about \(HumanReadable.time(estimate.seconds)), \(HumanReadable.size(estimate.memory)) of memory, and \(HumanReadable.size(estimate.room)) in \(parent) "
                + "(\(HumanReadable.size(estimate.roomMeanwhile)) while it is made).")
        let progress = Progress(
            [
                .init(title: "Checking the extract", weight: 0.1),
                .init(title: "Mending it and closing the coast", weight: 0.15),
                .init(title: "Making the tiles", weight: 1), .init(title: "Making the search index", weight: 0.7),
            ], reportsParts: reportsParts)
        progress.begin("Checking the extract")
        let extract = try Extract(path: path, size: size, interruption: interruption)
        progress.begin("Mending it and closing the coast")
        var preparation = ExtractPreparation(directory: draft.directory, interruption: interruption)
        let prepared = try preparation.prepare(extract)
        progress.begin("Making the tiles")
        let tiles = "\(draft.directory)/\(MapRegion.tilesFile)"
        try RegionTilesMaker(configuration: configuration, interruption: interruption)
            .make(prepared, target: tiles) { progress.update($0) }
        progress.begin("Making the search index")
        let summary = try RegionIndexMaker(directory: draft.directory, interruption: interruption)
            .make(prepared, target: "\(draft.directory)/\(MapRegion.placesFile)") { progress.update($0) }
        progress.finish()
        if !extract.isSorted {
            Terminal.complain("\(Self.file(path)) was not in the order of its numbers, and was sorted.")
        }
        if preparation.mendedWays > 0 {
            Terminal.complain(
                "\(Self.file(path)) lacks nodes of \(preparation.mendedWays) ways, which were repaired. Near its edge some ways end early."
            )
        }
        try clear(draft, keeping: [MapRegion.tilesFile, MapRegion.placesFile])
        return RegionInformation(
            name: draft.name, bounds: extract.bounds, source: Self.file(path), sourceSize: size,
            dataDate: extract.dataDate,
            added: Self.now, tilesSize: try Self.size(of: tiles), placesSize: summary.size,
            places: summary.places + summary.addresses,
            attribution: "© OpenStreetMap contributors")
    }

    // MARK: Archives

    private func makeOfArchive(
        _ path: String, size: Int, _ draft: RegionDraft
    ) throws(RegionError) -> RegionInformation {
        try Estimate.requireRoom(size + 1_000_000, in: parent, for: path)
        let progress = Progress(
            [
                .init(title: "Copying the tiles", weight: 1), .init(title: "Checking them", weight: 1),
            ], reportsParts: reportsParts)
        progress.begin("Copying the tiles")
        let target = "\(draft.directory)/\(MapRegion.tilesFile)"
        try FileCopy(interruption: interruption).copy(path, to: target) { progress.update($0) }
        progress.begin("Checking them")
        let check: ArchiveCheck
        do {
            check = try ArchiveCheck(path: target)
        } catch {
            throw RegionError("\(path) cannot be used: \(error.reason).")
        }
        progress.finish()
        return RegionInformation(
            name: draft.name, bounds: check.bounds, source: Self.file(path), sourceSize: size, dataDate: nil,
            added: Self.now,
            tilesSize: size, placesSize: nil, places: nil, attribution: check.attribution)
    }

    // MARK: Completion

    private func finish(_ information: RegionInformation, _ draft: RegionDraft) throws(RegionError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let path = "\(draft.directory)/\(MapRegion.informationFile)"
        do {
            try encoder.encode(information).write(to: URL(filePath: path))
        } catch {
            throw RegionError("\(path) cannot be written: \(error)")
        }
        try draft.install()
    }

    /// Removes everything from the draft but `names`.
    private func clear(_ draft: RegionDraft, keeping names: [String]) throws(RegionError) {
        for file in (try? FileManager.default.contentsOfDirectory(atPath: draft.directory)) ?? []
        where !names.contains(file) {
            do {
                try FileManager.default.removeItem(atPath: "\(draft.directory)/\(file)")
            } catch {
                throw RegionError("\(draft.directory)/\(file) cannot be removed: \(error)")
            }
        }
    }

    /// Returns an error about a full disk if it is full, because the tools do not say so. Space becomes free once the
    /// draft is removed.
    private static func explained(_ error: RegionError, _ parent: String) -> RegionError {
        // Of a disk whose room is unknown nothing is added to the tool's own error.
        guard let free = try? FreeSpace.bytes(at: parent), free < 4_000_000 else { return error }
        return RegionError("The disk with \(parent) is full. \(error)")
    }

    static func size(of path: String) throws(RegionError) -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw RegionError("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, R_OK) == 0 else {
            throw RegionError("\(path) is no file that can be read.")
        }
        return Int(status.st_size)
    }

    static func file(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private static var now: String { Date.now.formatted(.iso8601) }
}

/// The default name of a region.
enum RegionName {
    /// Returns the name from that of a file: `berlin` for `berlin-latest.osm.pbf`. Characters that names lack become
    /// hyphens.
    static func of(_ file: String) -> String {
        var name = file[...]
        if let source = RegionSource(file: file) { name = name.dropLast(source.ending.count) }
        // Download sites append "-latest" or a date.
        if name.hasSuffix("-latest") { name = name.dropLast(7) }
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        for date in [[6], [8], [4, 2, 2]] {
            let last = parts.suffix(date.count)
            guard parts.count > date.count, last.map(\.count) == date, last.joined().allSatisfy(\.isNumber) else {
                continue
            }
            name = name.dropLast(date.reduce(0, +) + date.count)
            break
        }
        let letters = name.map { character in
            MapRegion.isName("a\(character)") ? character : "-"
        }
        let word = String(letters.drop { ".-".contains($0) }.prefix(64))
        return MapRegion.isName(word) ? word : "region"
    }
}
