import CSystemd
import Glibc

/// Object paths whose last part is an encoded name: sd_bus_path_encode(3).
package enum BusPath {
    /// The path of the object of this name below `prefix`.
    package static func encode(_ name: String, below prefix: String) -> String? {
        var path: UnsafeMutablePointer<CChar>?
        defer { free(path) }
        guard sd_bus_path_encode(prefix, name, &path) >= 0, let path else { return nil }
        return String(cString: path)
    }

    /// The name of the object at `path` below `prefix`.
    package static func decode(_ path: String, below prefix: String) -> String? {
        var name: UnsafeMutablePointer<CChar>?
        defer { free(name) }
        guard sd_bus_path_decode(path, prefix, &name) > 0, let name else { return nil }
        return String(validatingCString: name)
    }
}
