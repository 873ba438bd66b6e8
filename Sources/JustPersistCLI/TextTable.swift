import JustPersist
import JustPersistCommandLine

/// Rows of text in columns, as wide as their widest cell, or as a terminal allows.
struct TextTable {
    private let header: [String]
    private var rows: [[String]] = []

    /// A table without rows.
    init(header: [String]) { self.header = header.map(\.printable) }

    /// Adds a row of as many cells as the header has.
    mutating func append(_ cells: [String]) { rows.append(cells.map(\.printable)) }

    /// Prints the table, cut to the output's width.
    func write(to output: Output) throws {
        for (number, line) in lines(width: output.width).enumerated() {
            try number == 0 ? output.heading(line) : output.line(line)
        }
    }

    /// The lines: the header, a rule, the rows, and the names of columns that did not fit.
    ///
    /// Columns that contain only numbers are right-aligned.
    func lines(width: Int? = Terminal.outputWidth) -> [String] {
        let areNumbers = header.indices.map { column in
            rows.contains { !$0[column].isEmpty }
                && rows.allSatisfy { $0[column].isEmpty || Double($0[column]) != nil }
        }
        let natural = header.indices.map { column in
            rows.reduce(header[column].columns) { max($0, $1[column].columns) }
        }
        let widths = width.map { Self.fit(natural, areNumbers, into: $0) } ?? natural
        func line(_ cells: [String]) -> String {
            let padded = widths.indices.map { column in
                let cell = cells[column].cut(to: widths[column])
                let space = String(repeating: " ", count: widths[column] - cell.columns)
                return areNumbers[column] ? space + cell : cell + space
            }
            var line = padded.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
        let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
        let lines = [line(header), rule] + rows.map(line)
        let hidden = header[widths.count...]
        guard let width, !hidden.isEmpty else { return lines }
        let names = hidden.joined(separator: ", ")
        return lines + ["… --wide shows \(hidden.count) more: \(names)".cut(to: width)]
    }

    /// The widths of the first columns, as many as fit into a line.
    ///
    /// The widest columns are narrowed, but to no less than eight characters, and columns of numbers to no less than
    /// 24.
    private static func fit(_ natural: [Int], _ areNumbers: [Bool], into width: Int) -> [Int] {
        func sum(_ widths: some Sequence<Int>) -> Int { widths.reduce(0) { $0 + $1 + 2 } - 2 }
        let least = zip(natural, areNumbers).map { $1 ? min($0, 24) : min($0, 8) }
        var count = natural.count
        while count > 1, sum(least.prefix(count)) > width { count -= 1 }
        func widths(limit: Int) -> [Int] {
            zip(natural, least).prefix(count).map { max($1, min($0, limit)) }
        }
        // Finds the largest limit with which the columns fit.
        var (fits, tooWide) = (0, (natural.max() ?? 0) + 1)
        while tooWide - fits > 1 {
            let middle = (fits + tooWide) / 2
            if sum(widths(limit: middle)) <= width { fits = middle } else { tooWide = middle }
        }
        var fitted = widths(limit: fits)
        var spare = width - sum(fitted)
        for column in fitted.indices where spare > 0 && natural[column] > fitted[column] {
            fitted[column] += 1
            spare -= 1
        }
        if fitted.count == 1 { fitted[0] = max(1, min(fitted[0], width)) }
        return fitted
    }
}
