public import Foundation
public import JustPersist

/// Imports a file of rows into a store, as items of one type.
///
/// ```swift
/// let report = try ItemImport(itemType: "Restaurant").run(file, into: store)
/// ```
///
/// The file is JSON (an array of objects, JSON Lines, or an object with an array as one of its members) or CSV; it may
/// be compressed with gzip or Zstandard. It is streamed, in batches of one write block each. Rows may differ in their
/// keys and in the kinds of their values: every key becomes an attribute, and every value keeps the kind that it has
/// in its row.
///
/// An attribute that an item class has declared holds values of its declared kinds: a number is converted if the
/// conversion is exact, and a row with a value of another kind is a bad row. An item whose row lacks an attribute has
/// the attribute's default.
///
/// Each run creates new items, so importing a file twice stores its rows twice. This is different if the rows identify
/// their items: with a ``key``, or with the member `$id`, which ``ItemExport`` writes on request.
///
/// If the keys of the rows are not the names of the attributes, set a ``mapping``.
///
/// **JSON**
///
/// - Nested objects become dictionaries, and arrays remain arrays. A null means no value; an attribute with a default
///   that can be null becomes null. Inside collections, null is kept. If a key is repeated, the last one applies.
/// - `5` becomes an Int, `5.0` and `5e0` a Double. A number that is not a 64-bit Int becomes a Double if the shortest
///   text of that Double is the same number, else a Decimal if 38 digits hold it, else the nearest Double.
/// - The other kinds are objects with one key, as `DataStoreValue.jsonText` writes them. A `$date` may also be
///   `{"$numberLong": "…"}` or ISO 8601 text. Any other content is an error, except for a text in a `$ref`,
///   because JSON Schema writes references so. All other objects are dictionaries, including `{"$oid": …}`.
///
/// **CSV**
///
/// - The first row contains the names of the columns. An empty cell is null; an empty cell in quotation marks is an
///   empty text, or null in a column of another kind.
/// - All cells of a column have one kind: as ``csv`` states, as the attribute is declared, or else the first that fits
///   all of them: truth values (`true`, `false`), whole numbers, numbers, points in time with a time zone, and
///   otherwise texts. A cell with a leading zero or a plus sign, or with more digits than the kind holds, is a text. To
///   infer the kinds, a file is read twice. A pipe cannot be read twice, so its first 1000 rows decide.
/// - Empty lines are skipped.
public struct ItemImport: Sendable {
    /// The format of a file.
    public enum Format: Sendable, Hashable {
        /// Determined by the name and the first character: CSV if the name ends in `.csv` or `.tsv`; `[` begins an
        /// array; `{` begins JSON Lines if the name ends in `.jsonl` or `.ndjson`, if more objects follow or if the
        /// file is a pipe, and else an object with an array as exactly one of its members.
        case automatic
        /// The items of an array in the file.
        ///
        /// Without a name, the file is an array, or an object with exactly one array among its members; a pipe must be
        /// an array. With a name, the file is an object whose member of this name is an array.
        case json(member: String? = nil)
        /// One object per line; blank lines do not count.
        case jsonLines
        /// Rows of cells (RFC 4180).
        case csv
    }

    /// The treatment of bad rows.
    public enum ErrorPolicy: Sendable, Hashable {
        /// The import ends, and the error names the line.
        case stop
        /// The row is left out, and the others are imported.
        case skip
    }

    /// A row that was left out.
    public struct BadRow: Sendable {
        /// The line of the file on which the row begins.
        public let line: Int
        /// The fault of the row.
        public let reason: String
    }

    /// The result of an import.
    public struct Report: Sendable, Hashable {
        /// The number of items that were created.
        public internal(set) var created = 0
        /// The number of rows for existing items, whether they changed them or not.
        public internal(set) var updated = 0
        /// The number of bad rows that were left out.
        public internal(set) var skipped = 0

        /// The number of rows that the mapping's ``ItemMapping/willImport`` left out.
        public internal(set) var omitted = 0
        /// The names of the relationships for which no row has a value, null included.
        ///
        /// The ``Relation/column`` of such a relationship is probably misspelled. In a CSV file without the column, that is an error.
        public internal(set) var relationsWithoutValues: Set<String> = []

        /// The key paths of the mapping that no row has, null values included; without those of nested mappings.
        ///
        /// Such a key path is probably misspelled.
        public internal(set) var keyPathsWithoutValues: Set<String> = []

        /// The number of rows that are in the store.
        public var items: Int { created + updated }
    }

    /// The progress of an import.
    public struct Progress: Sendable {
        /// The number of rows that are in the store now.
        public let items: Int
        /// The number of bytes of the file that were read for them.
        public let bytes: Int
        /// The size of the file; `nil` if it has none, as a pipe.
        public let totalBytes: Int?
        /// The number of rows of the file that are finished, including skipped and bad ones: to continue later, skip
        /// this many.
        public let rows: Int
        /// The number of these rows that refer to later ones, and are not stored before the end of the file; see
        /// ``Relation``.
        public let deferred: Int
    }

    /// The key of the items' type.
    public let itemType: String
    /// The format of the file.
    public var format: Format
    /// The properties of a CSV file that its text does not state.
    public var csv = CSVOptions()
    /// The unique attribute that identifies the item of a row; `nil` if each row creates a new item.
    ///
    /// A row changes the item that has its value for this attribute, and only the attributes in the row. If there is no
    /// such item, one is created. The attribute must be declared unique. For a type without items the import declares
    /// it.
    public var key: String?
    /// The sources of the attributes' values; `nil` if the keys are the attributes' names.
    ///
    /// Its ``ItemMapping/key`` applies if ``key`` is `nil`. With a mapping, values are converted to the declared kinds
    /// of the attributes.
    public var mapping: ItemMapping?
    /// The relationships of the items to items that are found by a unique attribute.
    ///
    /// Without them, a member that has the name of a relationship in the store, and a reference or an array of references as its
    /// value, as ``ItemExport`` writes them, *sets* the relationship.
    public var relations: [Relation] = []
    /// The treatment of bad rows.
    public var onError = ErrorPolicy.stop
    /// The number of rows at the beginning of the file to skip, because an interrupted import has stored them.
    public var skipping: Int
    /// The maximum number of rows in one write block; a block also ends after a few megabytes of text.
    public var batchSize: Int

    let chunkSize: Int

    /// An import of items of a type.
    public init(
        itemType: String, format: Format = .automatic, skipping: Int = 0, batchSize: Int = 2000
    ) {
        self.init(
            itemType: itemType, format: format, skipping: skipping, batchSize: batchSize,
            chunkSize: 1 << 18)
    }

    /// An import with a given number of bytes to read at a time.
    package init(
        itemType: String, format: Format = .automatic, skipping: Int = 0, batchSize: Int = 2000,
        chunkSize: Int
    ) {
        self.itemType = itemType
        self.format = format
        self.skipping = skipping
        self.batchSize = batchSize
        self.chunkSize = chunkSize
    }

    /// Imports a file, and returns the number of its rows by result.
    ///
    /// A bad row is an `.invalidInput` error that names the line. The batch with the error is not stored; earlier
    /// batches are, and the message says how to continue. With ``ErrorPolicy/skip`` bad rows are passed to `badRow`;
    /// the import still ends if the rest of the file cannot be split into rows, or if the store cannot be written.
    ///
    /// `progress` is called on this thread after each batch, and before that while the file is read to infer the kinds
    /// of its columns. If it throws, the import ends with that error; the batches that were already stored stay.
    @discardableResult
    public func run(
        _ file: URL, into store: any DataStore,
        progress: (Progress) throws -> Void = { _ in }, badRow: (BadRow) -> Void = { _ in }
    ) throws -> Report {
        let (handle, size) = try Self.open(file)
        defer { try? handle.close() }
        return try run(
            handle, named: file.lastPathComponent, size: size, into: store, progress, badRow)
    }

    /// Imports the data of a handle, such as standard input; see ``run(_:into:progress:badRow:)``.
    ///
    /// - Parameters:
    ///   - handle: The handle, which is read from its current offset to its end.
    ///   - name: The name for errors; its ending determines the format, as that of a file does.
    ///   - store: The store to write to.
    ///   - progress: Called on this thread after each batch. If it throws, the import ends with that error.
    ///   - badRow: Called on this thread with each row that is left out.
    @discardableResult
    public func run(
        _ handle: FileHandle, named name: String, into store: any DataStore,
        progress: (Progress) throws -> Void = { _ in }, badRow: (BadRow) -> Void = { _ in }
    ) throws -> Report {
        try run(handle, named: name, size: nil, into: store, progress, badRow)
    }

    private func run(
        _ handle: FileHandle, named name: String, size: Int?, into store: any DataStore,
        _ progress: (Progress) throws -> Void, _ badRow: (BadRow) -> Void
    ) throws -> Report {
        let source = try ByteSource(handle, name: name)
        var run = try ImportRun(self, source, size: size, into: store, progress)
        try WorkLimit.throwingCancellation { try run.run(progress, badRow) }
        return run.report
    }

    /// Throws the error of ``run(_:into:progress:badRow:)`` for a file that does not exist, is a directory or cannot
    /// be read; call it before you create a store for the import.
    public static func check(_ file: URL) throws(DataStoreError) {
        let (handle, _) = try open(file)
        try? handle.close()
    }

    private static func open(
        _ file: URL
    ) throws(DataStoreError) -> (FileHandle, size: Int?) {
        let path = file.path(percentEncoded: false)
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: file.resolvingSymlinksInPath().path(percentEncoded: false))
        let type = attributes?[.type] as? FileAttributeType
        if type == .typeDirectory {
            throw DataStoreError(
                .invalidInput, in: "import", "“\(path)” is a directory. Give a file of JSON or CSV."
            )
        }
        do {
            let size = type == .typeRegular ? attributes?[.size] as? NSNumber : nil
            return (try FileHandle(forReadingFrom: file), size?.intValue)
        } catch {
            throw DataStoreError(
                attributes == nil ? .invalidInput : .accessDenied, in: "import",
                attributes == nil
                    ? "There is no file “\(path)”. Check the path."
                    : "“\(path)” cannot be read. Check its owner and permissions.")
        }
    }
}
