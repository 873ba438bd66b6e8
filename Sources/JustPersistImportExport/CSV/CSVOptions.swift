public import JustPersist

/// What a CSV file does not say of itself.
public struct CSVOptions: Sendable, Hashable {
    /// The kinds of the values in one column.
    public struct Column: Sendable, Hashable {
        /// The column's name, which is that of the attribute.
        public var name: String
        /// The kinds; of several, a cell is of the first that its text can be, truth values and numbers before texts.
        public var kinds: Set<DataStoreValue.Kind>

        /// A column whose cells are of some kinds.
        public init(_ name: String, _ kinds: DataStoreValue.Kind...) {
            self.name = name
            self.kinds = Set(kinds)
        }
    }

    /// The ASCII character between the cells of a row; `nil` for a tab in files named `.tsv`, and else a comma.
    public var delimiter: Character?
    /// Whether the first row is the names of the columns.
    public var hasHeader: Bool
    /// Columns whose kinds are given; without a header and ``names`` all columns, in their order.
    ///
    /// The kinds of other columns are those that the store has the attribute declared with, or else are found by looking
    /// at all cells of the column; see ``ItemImport``.
    public var columns: [Column]

    /// The names of all columns in their order, instead of those in the header; `nil` for those.
    ///
    /// A column whose name is empty is left out.
    public var names: [String]?
    /// Whether blanks around names and cells are taken away.
    public var trimsBlanks = false

    /// Options, by default for files that have a header.
    public init(
        delimiter: Character? = nil, hasHeader: Bool = true, columns: [Column] = [],
        names: [String]? = nil
    ) {
        self.delimiter = delimiter
        self.hasHeader = hasHeader
        self.columns = columns
        self.names = names
    }

    /// The byte between cells, where a file's name makes `byName` likely.
    func delimiter(byName: UInt8) throws(DataStoreError) -> UInt8 {
        guard let delimiter else { return byName }
        guard let byte = delimiter.asciiValue, byte != 0x0a, byte != 0x0d, byte != 0x22 else {
            throw DataStoreError(
                .invalidInput, in: "CSV",
                "“\(delimiter)” cannot stand between the cells of CSV. Give one ASCII character, such as “;”."
            )
        }
        return byte
    }
}
