public import JustPersist

/// The properties of a CSV file that its text does not state.
public struct CSVOptions: Sendable, Hashable {
    /// The kinds of the values in one column.
    public struct Column: Sendable, Hashable {
        /// The column's name, which is that of the attribute.
        public var name: String
        /// The kinds.
        ///
        /// If there are several, a cell has the first kind that fits its text; truth values and numbers come before
        /// texts.
        public var kinds: Set<DataStoreValue.Kind>

        /// A column with the kinds of its cells.
        public init(_ name: String, _ kinds: DataStoreValue.Kind...) {
            self.name = name
            self.kinds = Set(kinds)
        }
    }

    /// The ASCII character between the cells of a row; `nil` for a tab in files named `.tsv`, and else a comma.
    public var delimiter: Character?
    /// Whether the first row contains the names of the columns.
    public var hasHeader: Bool
    /// Columns with explicit kinds.
    ///
    /// Without a header and ``names``, list all columns in their order.
    ///
    /// Other columns have the declared kinds of the attribute; if there are none, the kinds are inferred from all cells
    /// of the column. See ``ItemImport``.
    public var columns: [Column]

    /// The names of all columns in their order, in place of those in the header; `nil` to use the header.
    ///
    /// A column with an empty name is left out.
    public var names: [String]?
    /// Whether blanks around names and cells are removed.
    public var trimsBlanks = false

    /// Options, by default for files with a header.
    public init(
        delimiter: Character? = nil, hasHeader: Bool = true, columns: [Column] = [],
        names: [String]? = nil
    ) {
        self.delimiter = delimiter
        self.hasHeader = hasHeader
        self.columns = columns
        self.names = names
    }

    /// The byte between cells; `byName` is the default for the file's name.
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
