package import JustPersist

/// Writes rows of CSV (RFC 4180), each on a line that ends in a line feed.
package struct CSVWriter {
    /// The bytes that were written and not taken yet.
    package private(set) var bytes: [UInt8] = []
    private let delimiter: UInt8

    /// A writer with a character between the cells of a row.
    package init(delimiter: UInt8 = UInt8(ascii: ",")) { self.delimiter = delimiter }

    /// Removes and returns the bytes.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Appends a row: an empty cell for null, an empty cell in quotes for an empty text.
    package mutating func append(_ values: some Sequence<DataStoreValue>) {
        append(cells: values.lazy.map(\.cell))
    }

    /// Appends a row.
    package mutating func append(cells: some Sequence<String?>) {
        var isFirst = true
        for cell in cells {
            if !isFirst { bytes.append(delimiter) }
            isFirst = false
            if let cell { append(cell) }
        }
        bytes.append(0x0a)
    }

    private mutating func append(_ cell: String) {
        let needsQuotes =
            cell.isEmpty
            || cell.utf8.contains {
                $0 == delimiter || $0 == 0x22 || $0 == 0x0a || $0 == 0x0d
            }
        guard needsQuotes else { return bytes.append(contentsOf: cell.utf8) }
        bytes.append(0x22)
        for byte in cell.utf8 {
            if byte == 0x22 { bytes.append(0x22) }
            bytes.append(byte)
        }
        bytes.append(0x22)
    }
}
