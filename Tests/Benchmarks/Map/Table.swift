import Glibc

/// The aims, in milliseconds.
struct Aims {
    var anew: Double
    var edit: Double
    var camera: Double

    static let hundredThousand = Aims(anew: 25, edit: 0.1, camera: 1)
    static let none = Aims(anew: .infinity, edit: .infinity, camera: .infinity)
}

/// Prints the lines of the tables and counts missed aims.
struct Table {
    struct Line {
        var zoom: Double
        var views: Int
        var filled: Double
        var anew: Double
        var edit: Double
        var slowEdit: Double
        var slowestEdit: Double
        var camera: Double
    }

    private(set) var missed = 0

    func printHeader() {
        row("zoom", "views", "filled", "anew ms", "edit ms", "p99", "max", "camera p95 ms")
        row("aims", "", "", "≤ 25", "≤ 0.1", "", "", "≤ 1")
    }

    mutating func print(_ line: Line, aims: Aims) {
        let misses = [
            line.anew > aims.anew ? "anew" : nil, line.edit > aims.edit ? "edit" : nil,
            line.camera > aims.camera ? "camera" : nil,
        ].compactMap { $0 }
        missed += misses.count
        row(
            text(line.zoom, 0), "\(line.views)", text(line.filled, 1), text(line.anew, 1), text(line.edit, 4),
            text(line.slowEdit, 4), text(line.slowestEdit, 3), text(line.camera, 3),
            aims.anew.isFinite ? misses.isEmpty ? "yes" : "NO: \(misses.joined(separator: ", "))" : "")
    }

    private func row(_ columns: String...) {
        let padded = columns.map { $0 + String(repeating: " ", count: max(1, 10 - $0.count)) }
        Swift.print(padded.joined())
    }

    private func text(_ value: Double, _ digits: Int) -> String {
        let unit = pow(10, Double(digits))
        let whole = Int((value * unit).rounded())
        guard digits > 0 else { return "\(whole)" }
        let fraction = String(whole % Int(unit))
        return "\(whole / Int(unit)).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }
}
