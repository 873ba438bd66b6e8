public import Foundation
public import JustPersist

/// Exports items of one type to a file, which ``ItemImport`` can read back.
///
/// ```swift
/// let count = try ItemExport(DataStoreRequest(itemTypeKey: "Restaurant")).run(from: store, to: file)
/// ```
///
/// The items are read from one snapshot of the store, one by one, in the order of the request.
///
/// **JSON** preserves every value bit for bit; see `DataStoreValue.jsonText`. An item with more than 512 MiB of text
/// is refused. The members are in the order of the type's attributes. An attribute without a value is left out; null
/// is written for an attribute that has a default and is null.
///
/// **CSV** has a column for each attribute, with the names in the first row; an empty cell is null, and an empty text
/// is an empty cell in quotation marks. A column whose values are all of one kind is preserved if the import is given
/// the kind or infers it. It infers truth values, whole numbers, Doubles if at least one is finite, and points in
/// time. The kinds of Decimals, and of texts that all look like one of these, have to be given. A row with only one
/// empty cell is an empty line, which the import skips. Dates are ISO 8601, or `secondsSince2001:…` if milliseconds
/// are not exact; Data is Base64; a reference is its type and its id with a space between; arrays and dictionaries are
/// JSON.
public struct ItemExport: Sendable {
    /// The format of the file.
    public enum Format: Sendable, Hashable {
        /// An array of objects, one on each line.
        case json
        /// One object per line.
        case jsonLines
        /// Rows of cells (RFC 4180), on lines that end in a line feed.
        case csv
    }

    /// The progress of an export.
    public struct Progress: Sendable {
        /// The number of items that were written.
        public let items: Int
    }

    /// The items, and their order.
    public let request: DataStoreRequest
    /// The format of the file; `nil` if its name determines it: `.json`, `.jsonl`, `.ndjson`, `.csv` or `.tsv`,
    /// optionally followed by `.gz` or `.zst`.
    public var format: Format?
    /// The attributes to write, or paths into dictionaries and along references; `nil` for all attributes.
    ///
    /// A relationship to one item is written as a reference, or null if that item does not exist any more. A relationship to
    /// many is written as an array of references in their order, if it is named here.
    public var attributes: [String]?
    /// The relationships whose items are written as nested objects in place of references, in JSON only.
    ///
    /// A path leads on: `author` and `books.tags` nest the author, the books, and the tags of each book.
    public var links: [String] = []
    /// Whether each row has the item's id, as `$id`.
    ///
    /// Importing such a row changes the item with that id, or makes it. If no ``attributes`` are named, the row also has the
    /// relationships to many that do not follow from references in the rows of the other type: those between many items and
    /// many, on one side, and those with an order. So files of all types have all relationships; a store that does not
    /// know the declarations yet gets them by ``ItemImport/relations``, or from the classes of a program.
    public var includesIDs = false
    /// The ASCII character between the cells of CSV; `nil` for a tab in files named `.tsv`, and else a comma.
    public var delimiter: Character?

    /// An export of the items of a request.
    public init(_ request: DataStoreRequest, format: Format? = nil) {
        self.request = request
        self.format = format
    }

    /// Writes a file, and returns the number of items in it.
    ///
    /// The file appears at its place when it is complete and synced; if this throws, the place is unchanged. A process
    /// that dies leaves a hidden file that ends in `.unfinished` beside the place. A device or a named pipe is written
    /// directly. The file is compressed if its name ends in `.gz` or `.zst`.
    ///
    /// - Parameters:
    ///   - store: The store; the items are read in one block.
    ///   - file: The place of the file.
    ///   - replaces: Whether an existing file may be replaced.
    ///   - progress: Called on this thread now and then. If it throws, the export ends with that error.
    /// - Throws: `.targetNotEmpty` if a file exists at the place, `CancellationError` if the calling task is
    ///   cancelled, `.invalidInput` if the name does not determine the format, and the errors of the store and the
    ///   file system.
    @discardableResult
    public func run(
        from store: any DataStore, to file: URL, replacing replaces: Bool = false,
        progress: (Progress) throws -> Void = { _ in }
    ) throws -> Int {
        let kind = FileKind(fileName: file.lastPathComponent)
        var settings = self
        settings.format = try format ?? Self.format(of: kind, name: file.lastPathComponent)
        let delimiter = try CSVOptions(delimiter: delimiter).delimiter(byName: kind.delimiter)
        let draft = try FileDraft(for: file, replacing: replaces)
        let compressor = kind.compression?.makeCompressor()
        func write(_ bytes: [UInt8], isLast: Bool = false) throws {
            guard let compressor else { return try draft.write(bytes) }
            let packed: [UInt8]
            do throws(CompressionFailure) {
                packed = try compressor.compress(bytes, isLast: isLast)
            } catch {
                throw DataStoreError(
                    .storageFailure, in: "export",
                    "“\(file.lastPathComponent)” was not written: \(error.reason).")
            }
            try draft.write(packed)
        }
        var count = 0
        try WorkLimit.throwingCancellation {
            try store.performRead { db in
                count = try settings.write(from: db, delimiter, progress) { try write($0) }
            }
        }
        try write([], isLast: true)
        try draft.finish()
        return count
    }

    /// Passes the text of the rows to a function, in pieces, and returns the number of items.
    ///
    /// ``format`` must be set. The text is not compressed.
    @discardableResult
    public func run(
        from db: borrowing DataStoreReader, progress: (Progress) throws -> Void = { _ in },
        write: ([UInt8]) throws -> Void
    ) throws -> Int {
        let delimiter = try CSVOptions(delimiter: delimiter).delimiter(byName: UInt8(ascii: ","))
        return try self.write(from: db, delimiter, progress, write)
    }

    private func write(
        from db: borrowing DataStoreReader, _ delimiter: UInt8,
        _ progress: (Progress) throws -> Void, _ write: ([UInt8]) throws -> Void
    ) throws -> Int {
        guard let format else {
            throw DataStoreError(
                .invalidInput, in: "export", "The format of the export is not given. Set it.")
        }
        let schema = try db.schemas().schema(ofType: request.type.key)
        if !links.isEmpty, format == .csv {
            throw DataStoreError(
                .invalidRequest, in: "export",
                "A cell of CSV cannot have the objects of “\(links[0])”. Write JSON, or name their attributes by paths."
            )
        }
        let shape = try ExportShape(
            ofType: request.type.key,
            links: links.map { $0.split(separator: ".").map(String.init) },
            withIDs: includesIDs, in: db)
        let columns = ExportColumns(schema, attributes: attributes, shape, withIDs: includesIDs)
        var writer = RowsText(format, columns, withIDs: includesIDs, delimiter: delimiter)
        try db.performForEach(request) { item in
            try writer.append(item, from: db)
            guard writer.count % 500 == 0 || writer.isLarge else { return }
            try write(writer.take())
            try progress(Progress(items: writer.count))
        }
        writer.finish()
        try write(writer.take())
        return writer.count
    }

    private static func format(of kind: FileKind, name: String) throws(DataStoreError) -> Format {
        if kind.isCSV { return .csv }
        if kind.isJSONLines { return .jsonLines }
        if kind.format == "json" { return .json }
        throw DataStoreError(
            .invalidInput, in: "export",
            """
            The extension of “\(name)” names no format. End the name in .json, .jsonl or .csv, or give the format.
            """)
    }
}
