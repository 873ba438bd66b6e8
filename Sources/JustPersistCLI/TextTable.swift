import JustPersist
import JustPersistCommandLine

/// Rows of text in columns, as wide as their widest cell.
struct TextTable {
    private let header: [String]
    private var rows: [[String]] = []
    private let widthLimit: Int?

    /// A table; cells wider than the limit are cut.
    init(header: [String], widthLimit: Int? = Output.isTerminal ? 40 : nil) {
        self.header = header.map(\.printable)
        self.widthLimit = widthLimit
    }

    /// Adds a row of as many cells as the header has.
    mutating func append(_ cells: [String]) {
        rows.append(cells.map { widthLimit.map($0.printable.cut) ?? $0.printable })
    }

    /// The lines: the header, a rule, and the rows.
    ///
    /// Columns of nothing but numbers are aligned right.
    func lines() -> [String] {
        let widths = header.indices.map { column in
            rows.reduce(header[column].columns) { max($0, $1[column].columns) }
        }
        let areNumbers = header.indices.map { column in
            rows.contains { !$0[column].isEmpty }
                && rows.allSatisfy { $0[column].isEmpty || Double($0[column]) != nil }
        }
        func line(_ cells: [String]) -> String {
            let padded = cells.indices.map { column in
                let space = String(
                    repeating: " ", count: widths[column] - cells[column].columns)
                return areNumbers[column] ? space + cells[column] : cells[column] + space
            }
            var line = padded.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return [line(header), line(rule)] + rows.map(line)
    }
}
