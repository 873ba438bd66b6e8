public import Foundation
public import JustPersist

/// Imports a file of rows into a store, as items of one type.
///
/// ```swift
/// let report = try ItemImport(itemType: "Restaurant").run(file, into: store)
/// ```
///
/// The file is JSON (an array of objects, JSON Lines, or an object with an array as one of its members) or CSV; it may be
/// packed with gzip or Zstandard. It is streamed, in batches of one write block each. Rows may differ in their keys and in
/// the kinds of their values: every key becomes an attribute, and every value is kept as that row has it.
///
/// An attribute that an item class has declared holds values of its declared kinds: a number is converted where
/// nothing is lost, and a value that is of none of them makes its row a bad one. An item whose row lacks an attribute
/// has the attribute's default.
///
/// Each run makes new items, so a file imported twice is in the store twice, unless the rows say which items they are
/// about: with a ``key``, or with the member `$id`, which ``ItemExport`` writes if it is asked to.
///
/// If the keys of the rows are not the names of the attributes, set a ``mapping``.
///
/// **JSON**
///
/// - Nested objects become dictionaries and arrays stay arrays. A null is no value; where an attribute with a default can be
///   null, it is null then. Inside collections it is kept. Of a repeated key the last one counts.
/// - `5` becomes an Int, `5.0` and `5e0` a Double. A number that is no 64-bit Int becomes a Double if the
///   shortest text of that Double is the same number, else a Decimal if 38 digits hold it, else the nearest
///   Double.
/// - The other kinds are objects with one key, as `DataStoreValue.jsonText` writes them. A `$date` may also be
///   `{"$numberLong": "…"}` or ISO 8601 text. With any other content such an object stays a dictionary, as all other
///   objects do, `{"$oid": …}` among them.
///
/// **CSV**
///
/// - The first row is the names of the columns. An empty cell is null, an empty cell in quotation marks is an empty
///   text, or null in a column of another kind.
/// - All cells of a column are of one kind: as ``csv`` says, as the attribute is declared, or else as all of them can be
///   read: truth values (`true`, `false`), whole numbers, numbers, points in time with a time zone, and otherwise
///   texts. What has a leading zero or a plus sign, or more digits than the kind holds, is a text. For that a file is read
///   twice; of a pipe, which cannot be, the first 1000 rows decide.
/// - An empty line is no row.
public struct ItemImport: Sendable {
    /// How the rows stand in a file.
    public enum Format: Sendable, Hashable {
        /// Told by the name and the first character: CSV if the name ends in `.csv` or `.tsv`; `[` begins an array; `{`
        /// begins JSON Lines if the name ends in `.jsonl` or `.ndjson`, if more objects follow or if the file is a
        /// pipe, else an object with an array as exactly one of its members.
        case automatic
        /// The file is an array, or an object with an array as its member of that name, or as exactly one of its members;
        /// a pipe must be an array.
        case json(member: String? = nil)
        /// One object per line; blank lines do not count.
        case jsonLines
        /// Rows of cells (RFC 4180).
        case csv
    }

    /// What becomes of the rest if a row is bad.
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
        /// What is wrong with it.
        public let reason: String
    }

    /// What an import has done.
    public struct Report: Sendable, Hashable {
        /// The items that were made.
        public internal(set) var created = 0
        /// The rows that changed an item that was there, or could have.
        public internal(set) var updated = 0
        /// The rows that were left out as bad.
        public internal(set) var skipped = 0

        /// The rows that the mapping's ``ItemMapping/willImport`` left out.
        public internal(set) var omitted = 0

        /// The rows that are in the store.
        public var items: Int { created + updated }
    }

    /// How far an import has come.
    public struct Progress: Sendable {
        /// The rows that are in the store now.
        public let items: Int
        /// The bytes of the file that they took.
        public let bytes: Int
        /// The size of the file; `nil` if it has none, as a pipe.
        public let totalBytes: Int?
        /// The rows of the file that are dealt with, those at the start that were left out and bad ones among them:
        /// to go on later, leave out so many.
        public let rows: Int
    }

    /// The key of the items' type.
    public let itemType: String
    /// How the rows stand in the file.
    public var format: Format
    /// What a CSV file does not say of itself.
    public var csv = CSVOptions()
    /// The unique attribute by which rows are about items; `nil` if each row makes a new item.
    ///
    /// A row changes the item that has its value for this attribute, and only the attributes that the row has; if there is
    /// no such item, it makes one. The attribute must be declared unique. In a type without items the import does that.
    public var key: String?
    /// Where the values of attributes come from; `nil` if the keys are the attributes' names.
    ///
    /// Its ``ItemMapping/key`` counts where ``key`` is `nil`. With a mapping values are converted to the kinds that the
    /// attributes are declared with.
    public var mapping: ItemMapping?
    /// What becomes of the rest if a row is bad.
    public var onError = ErrorPolicy.stop
    /// How many rows at the start of the file to leave out, as an interrupted import brought them in.
    public var skipping: Int
    /// How many rows one write block brings in at most; a few megabytes of text end it earlier.
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

    /// The same, with the number of bytes that are read at a time.
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

    /// Imports a file, and tells what became of its rows.
    ///
    /// A bad row is an `.invalidInput` error that names the line. The batch with the error is not stored; earlier
    /// batches are, and the message says how to continue. With ``ErrorPolicy/skip`` bad rows are given to `badRow`; the
    /// import ends all the same if the rest of the file cannot be told apart any more, or if the store cannot be written.
    ///
    /// `progress` is called on this thread after each batch, and before that while the file is read for the kinds of its
    /// columns. If it throws, the import ends with that error; the batches that were already stored stay.
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

    /// Imports what can be read from a handle, such as standard input; see ``run(_:into:progress:badRow:)``.
    ///
    /// - Parameters:
    ///   - handle: Where to read, from where it stands to its end.
    ///   - name: What the errors call it; its ending tells the format, as that of a file does.
    ///   - store: The store that gets the items.
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

    /// Throws what ``run(_:into:progress:badRow:)`` would if the file is not there, is a directory or cannot be
    /// read; for callers that would first make a store.
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
