/// Formats a table as text.
package enum Table {
    /// The indentation of a row's second and further lines.
    private static let indentation = "    "
    /// The least width of a column whose cells are wrapped.
    private static let leastWrapped = 36
    /// The longest text of a cell in a terminal, which the texts of programs could otherwise fill.
    private static let longestCell = 128

    /// The lines of the table, with the names of the columns first.
    ///
    /// A table that is wider than the terminal has the cells of one column wrapped, if that leaves them a readable width, and
    /// otherwise several lines a row, with the names of the columns in the same places. All but the first of a row are indented,
    /// so that no text can look like another row.
    ///
    /// - Parameters:
    ///   - width: the width of the terminal; `nil` for no limit, as in a file.
    ///   - wrapped: the column whose cells may be wrapped.
    package static func lines(
        _ header: [String], _ rows: [[String]], width: Int? = Terminal.outputWidth, wrapping wrapped: Int? = nil
    ) -> [String] {
        let all = [header] + rows.map { $0.map { $0.shown(limit: width == nil ? 4096 : longestCell) } }
        var widths = header.indices.map { column in all.map { $0[column].cells }.max() ?? 0 }
        let columns = Array(header.indices)
        // The last cell of a line stays free, because some terminals begin a new line when it is filled.
        guard let limit = width.map({ $0 - 1 }), size(of: columns, widths) > limit else {
            return all.flatMap { lines(of: $0, columns, widths) }
        }
        if let wrapped {
            let rest = limit - size(of: columns, widths) + widths[wrapped]
            if rest >= leastWrapped {
                widths[wrapped] = rest
                return all.flatMap { lines(of: $0, columns, widths) }
            }
        }
        for column in columns { widths[column] = min(widths[column], limit - (column == 0 ? 0 : indentation.count)) }
        let groups = groups(of: columns, widths, limit)
        return all.flatMap { row in
            groups.enumerated().flatMap { index, columns in
                lines(of: row, columns, widths).map { index == 0 || $0.isEmpty ? $0 : indentation + $0 }
            }.filter { !$0.isEmpty }
        }
    }

    /// The columns that share a line, for each line of a row.
    private static func groups(of columns: [Int], _ widths: [Int], _ limit: Int) -> [[Int]] {
        columns.reduce(into: [[]]) { groups, column in
            let indent = groups.count == 1 ? 0 : indentation.count
            if indent + size(of: groups[groups.count - 1] + [column], widths) > limit, groups.last?.isEmpty == false {
                groups.append([column])
            } else {
                groups[groups.count - 1].append(column)
            }
        }
    }

    private static func size(of columns: [Int], _ widths: [Int]) -> Int {
        columns.reduce(2 * (columns.count - 1)) { $0 + widths[$1] }
    }

    /// The lines of some cells of a row: one, or more if a cell is wider than its column.
    private static func lines(of row: [String], _ columns: [Int], _ widths: [Int]) -> [String] {
        let cells = columns.map { row[$0].wrapped(width: widths[$0] + 1, indentation: $0 == 0 ? indentation : "") }
        return (0..<(cells.map(\.count).max() ?? 0)).map { index in
            let texts = zip(cells, columns).map { cell, column in
                let text = index < cell.count ? cell[index] : ""
                return text + String(repeating: " ", count: max(0, widths[column] - text.cells))
            }
            var line = texts.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

extension [String] {
    /// The lines of a report, those that are wider than the terminal in several.
    ///
    /// - Parameter indentation: the column in which the report's texts begin.
    package func hanging(_ indentation: Int, width: Int? = Terminal.outputWidth) -> [String] {
        flatMap { $0.hanging(width: width, indentation: String(repeating: " ", count: indentation)) }
    }
}
