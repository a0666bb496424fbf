import Glibc
import POSIXSupport

/// A change of one configuration file of the service, by a command that sets or removes one key.
///
/// A key is set in the file where it is in force. A new one gets a drop-in of its own, `KEY.plist`, so that a command does
/// not change the package's `locationd.plist`: an upgrade would then ask about it, and an unattended one would not be done.
package struct SettingChange: Hashable, Sendable {
    /// The reason why the change was not made, as a sentence.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// The file to write or to remove.
    package let file: String
    /// Its present content; `nil` if it does not exist.
    package let old: [UInt8]?
    /// Its new content; `nil` to remove it, because it is a command's own and held nothing else.
    package let new: [UInt8]?
    /// True if a new file is readable by root and the service only.
    let isPrivate: Bool

    /// The change that puts a value in force; `nil` if it is in force already.
    ///
    /// - Parameters:
    ///   - configurationFile: the service's property list.
    ///   - isPrivate: true for a value that other users must not read.
    /// - Throws: when a file cannot be read or edited, or the value is not valid.
    package static func setting(
        _ key: String, to value: PropertyListValue, in configurationFile: String, isPrivate: Bool = false
    ) throws(InvalidConfiguration) -> SettingChange? {
        let files = try files(of: configurationFile)
        let ownFile = ownFile(of: key, in: configurationFile)
        if let holder = files.last(where: { $0.editor.value(of: key) != nil }) {
            guard holder.editor.value(of: key) != value else { return nil }
            return try SettingChange(holder, key, holder.editor.setting(key, to: value), isPrivate)
        }
        let present = files.first { $0.name == ownFile }
        let own =
            if let present { present } else {
                File(name: ownFile, editor: try PropertyListEditor(Array(emptyFile.utf8), file: ownFile))
            }
        return try SettingChange(own, key, own.editor.setting(key, to: value), isPrivate)
    }

    /// The changes that remove a key from all files.
    package static func removing(
        _ key: String, in configurationFile: String
    ) throws(InvalidConfiguration) -> [SettingChange] {
        var changes: [SettingChange] = []
        for file in try files(of: configurationFile) where file.editor.value(of: key) != nil {
            let new = try file.editor.removing(key)
            let isOwn = file.name == ownFile(of: key, in: configurationFile)
            let isEmpty = isOwn ? try PropertyListEditor(new, file: file.name).isEmpty : false
            changes.append(try SettingChange(file, key, isEmpty ? nil : new, false))
        }
        return changes
    }

    /// The file in which a key is in force, and its value there; `nil` without one.
    ///
    /// - Parameter leavingOutUnreadable: true to leave out drop-ins that this user may not read.
    package static func holder(
        of key: String, in configurationFile: String, leavingOutUnreadable: Bool = false
    ) throws(InvalidConfiguration) -> (file: String, value: PropertyListValue)? {
        for file in try files(of: configurationFile, leavingOutUnreadable: leavingOutUnreadable).reversed() {
            if let value = file.editor.value(of: key) { return (file.name, value) }
        }
        return nil
    }

    private init(
        _ file: File, _ key: String, _ new: [UInt8]?, _ isPrivate: Bool
    ) throws(InvalidConfiguration) {
        if let new {
            let problems = DaemonConfiguration.read(try PropertyListDocument(new, file: file.name)).problems.filter {
                $0.keyPath == key || $0.keyPath?.hasPrefix("\(key).") == true
                    || $0.keyPath?.hasPrefix("\(key)[") == true
            }
            guard problems.isEmpty else { throw InvalidConfiguration(problems) }
        }
        (self.file, old, self.new, self.isPrivate) = (file.name, file.content, new, isPrivate)
    }

    // MARK: Performing

    /// Writes the file as a whole, or removes it. Its owner, group and mode stay.
    package func perform() throws(Failure) {
        guard let new else { return try remove() }
        do {
            try write(new)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(description: "\(file) cannot be written: \(error).")
        }
    }

    private func write(_ new: [UInt8]) throws {
        guard let old else {
            let directory = ConfigurationFile.directory(of: file)
            guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
                throw Failure(description: "\(directory) cannot be created: \(Errno()).")
            }
            // Without the service's group the service runs as the user who writes this.
            let group = isPrivate && geteuid() == 0 ? getgrnam("locationd")?.pointee.gr_gid : nil
            return try AtomicFile.write(new, to: file, mode: !isPrivate ? 0o644 : group == nil ? 0o600 : 0o640) {
                draft in
                guard access(file, F_OK) != 0 else { throw changed }
                guard chown(draft, geteuid(), group ?? getegid()) == 0 else { throw Errno() }
            }
        }
        // A link is followed: the file that it names is replaced.
        guard let resolved = realpath(file, nil) else { throw Errno() }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0 else { throw Errno() }
        try AtomicFile.write(new, to: String(cString: resolved), mode: status.st_mode & 0o7777) { draft in
            guard try SmallFile.read(file) == old else { throw changed }
            guard chown(draft, status.st_uid, status.st_gid) == 0 else { throw Errno() }
        }
    }

    private func remove() throws(Failure) {
        guard (try? SmallFile.read(file)) == old else { throw changed }
        // Its directory stays: the package has brought it.
        guard unlink(file) == 0 else { throw Failure(description: "\(file) cannot be removed: \(Errno()).") }
    }

    private var changed: Failure {
        Failure(description: "\(file) has changed meanwhile, and nothing was written. Run the command again.")
    }

    // MARK: Files

    private struct File {
        var name: String
        /// `nil` if it does not exist.
        var content: [UInt8]?
        var editor: PropertyListEditor
    }

    /// The service's property list and its drop-ins, in the order in which they are read.
    private static func files(
        of configurationFile: String, leavingOutUnreadable: Bool = false
    ) throws(InvalidConfiguration) -> [File] {
        var files: [File] = []
        for name in [configurationFile] + (try Configuration.dropIns(of: configurationFile)) {
            if leavingOutUnreadable, ConfigurationFile.isUnreadable(name) { continue }
            guard let content = try ConfigurationFile.read(name), !content.isEmpty else { continue }
            files.append(File(name: name, content: content, editor: try PropertyListEditor(content, file: name)))
        }
        return files
    }

    private static func ownFile(of key: String, in configurationFile: String) -> String {
        "\(Configuration.dropInDirectory(of: configurationFile))/\(key).plist"
    }

    private static let emptyFile = PropertyListValue.dictionary([:])
        .document(comment: "Written by locationctl. A key here replaces the same key of locationd.plist.")
}
