import Measuring

/// The daemon's resources over time, drawn as text and as a picture.
struct Curve {
    struct Sample {
        /// The seconds since the start.
        var seconds: Double
        var connections: Int
        var descriptors: Int
        /// The proportional set size in bytes, which includes its share of common mappings.
        var memory: Int
        /// Its private anonymous memory in bytes.
        var anonymous: Int
        /// Its allocated heap memory in bytes, by its own account.
        var inUse: Int
    }

    private(set) var samples: [Sample] = []

    mutating func add(_ sample: Sample) { samples.append(sample) }

    private static let lines: [(name: String, colour: String, value: @Sendable (Sample) -> Double)] = [
        ("connections", "#1b6ca8", { Double($0.connections) }),
        ("descriptors", "#c0392b", { Double($0.descriptors) }),
        ("PSS in MiB", "#27864a", { Double($0.memory) / 1_048_576 }),
        ("anonymous memory in MiB", "#7a4ca8", { Double($0.anonymous) / 1_048_576 }),
        ("in use of the heap in MiB", "#b8860b", { Double($0.inUse) / 1_048_576 }),
    ]

    /// The charts, one below the other, each with this many columns.
    func text(columns: Int = 100, rows: Int = 8) -> String {
        guard let end = samples.last?.seconds, end > 0 else { return "" }
        var text = ""
        for line in Self.lines {
            // The highest and lowest value of each column.
            var spans: [ClosedRange<Double>?] = Array(repeating: nil, count: columns)
            for sample in samples {
                let column = min(columns - 1, Int(sample.seconds / end * Double(columns)))
                let value = line.value(sample)
                let span = spans[column] ?? value...value
                spans[column] = min(span.lowerBound, value)...max(span.upperBound, value)
            }
            let top = spans.compactMap(\.?.upperBound).max() ?? 0
            let scale = max(top, 1)
            for row in (0..<rows).reversed() {
                let (floor, ceiling) = (scale * Double(row) / Double(rows), scale * Double(row + 1) / Double(rows))
                let label = row == rows - 1 ? Decimal.text(top, digits: top < 100 ? 1 : 0) : row == 0 ? "0" : ""
                text += String(repeating: " ", count: max(0, 7 - label.count)) + label + " ┤"
                for span in spans {
                    // Solid up to the lowest value of the column, dotted up to the highest.
                    guard let span else { text += " "; continue }
                    text += span.lowerBound > floor ? "█" : span.upperBound > floor && ceiling > 0 ? "░" : " "
                }
                text += row == rows - 1 ? " \(line.name)\n" : "\n"
            }
            text += "\n"
        }
        return text
    }

    /// Writes the picture.
    func write(to path: String) throws {
        guard let end = samples.last?.seconds, end > 0 else { return }
        let (width, height) = (1000.0, 180.0)
        var text =
            #"<svg xmlns="http://www.w3.org/2000/svg" width="1100" height="1020" font-family="sans-serif">"# + "\n"
        text += #"<rect width="1100" height="1020" fill="white"/>"# + "\n"
        for (index, line) in Self.lines.enumerated() {
            let top = max(1, samples.map(line.value).max() ?? 1)
            let base = Double(index + 1) * 200
            func number(_ value: Double) -> String { Decimal.text(value, digits: 1) }
            let points = samples.map { sample in
                number(50 + sample.seconds / end * width) + "," + number(base - line.value(sample) / top * height)
            }
            text += ##"<line x1="50" y1="\##(number(base))" x2="1050" y2="\##(number(base))" stroke="#999"/>"## + "\n"
            text += #"<text x="50" y="\#(number(base - height - 4))" font-size="13">\#(line.name), up to "#
            text += #"\#(number(top))</text>"# + "\n"
            text += #"<polyline fill="none" stroke="\#(line.colour)" points="\#(points.joined(separator: " "))"/>"#
            text += "\n"
        }
        text += "</svg>\n"
        try TextFile.write(text, to: path)
    }
}
