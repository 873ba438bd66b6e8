public import Foundation
public import JustPersist

/// Imports a file of JSON objects into a store, as items of one type.
///
/// ```swift
/// let count = try JSONImport(itemType: "Restaurant").run(file, into: store)
/// ```
///
/// The file is an array of objects, JSON Lines, or an object with an array as one of its members; it is
/// streamed, in batches of one write block each. Rows may differ in their keys and in the kinds of their
/// values: every key becomes an attribute, and every value is kept as that row has it.
///
/// An attribute that an item class has declared holds values of its declared kinds: a number is converted where
/// nothing is lost, and the import ends at a value that is of none of them. An item whose row lacks an attribute
/// has the attribute's default.
///
/// - Nested objects become dictionaries and arrays stay arrays. A null is no value, also where there
///   is a default; inside collections it is kept. Of a repeated key the last one counts.
/// - `5` becomes an Int, `5.0` and `5e0` a Double. A number that is no 64-bit Int becomes a Double if the
///   shortest text of that Double is the same number, else a Decimal if 38 digits hold it, else the nearest
///   Double.
/// - An object whose only key is `$date` becomes a Date: milliseconds since 1970, as a number or as
///   `{"$numberLong": "…"}`, or ISO 8601 text. With any other content it stays a dictionary, as all other
///   objects do, `{"$oid": …}` among them.
///
/// Each run makes new items, so a file imported twice is in the store twice.
public struct JSONImport: Sendable {
    /// How the objects stand in the file.
    public enum Layout: Sendable, Hashable {
        /// Told by the first character and the name: `[` begins an array; `{` begins JSON Lines if the
        /// name ends in `.jsonl` or `.ndjson`, if more objects follow or if the file is a pipe, else an
        /// object with an array as exactly one of its members.
        case automatic
        /// One object per line; blank lines do not count.
        case lines
        /// The file is an object, and its member of that name an array of objects; no pipe.
        case member(String)
    }

    /// How far an import has come.
    public struct Progress: Sendable {
        /// The items that are in the store now.
        public let items: Int
        /// The bytes of the file that they took.
        public let bytes: Int
        /// The size of the file; `nil` if it has none, as a pipe.
        public let totalBytes: Int?
    }

    /// The key of the items' type.
    public let itemType: String
    /// How the objects stand in the file.
    public let layout: Layout
    /// How many objects at the start of the file to leave out, as an interrupted import brought them in.
    public let skipping: Int
    /// How many items one write block brings in at most; a few megabytes of text end it earlier.
    public let batchSize: Int

    let chunkSize: Int

    /// An import of items of a type.
    public init(
        itemType: String, layout: Layout = .automatic, skipping: Int = 0, batchSize: Int = 2000
    ) {
        self.init(
            itemType: itemType, layout: layout, skipping: skipping, batchSize: batchSize,
            chunkSize: 1 << 20)
    }

    /// The same, with the number of bytes that are read at a time.
    package init(
        itemType: String, layout: Layout = .automatic, skipping: Int = 0, batchSize: Int = 2000,
        chunkSize: Int
    ) {
        self.itemType = itemType
        self.layout = layout
        self.skipping = max(0, skipping)
        self.batchSize = max(1, batchSize)
        self.chunkSize = chunkSize
    }

    /// Imports a file, and returns the number of items brought in.
    ///
    /// Invalid text is an `.invalidInput` error that names the line. The batch with the error is not stored; earlier
    /// batches are, and the message says how to continue.
    ///
    /// `progress` is called on this thread after each batch. If it throws, the import ends with that error; the
    /// batches that were already stored stay.
    @discardableResult
    public func run(
        _ file: URL, into store: any DataStore, progress: (Progress) throws -> Void = { _ in }
    ) throws -> Int {
        let (handle, size) = try Self.open(file)
        defer { try? handle.close() }
        var rows = try JSONRows(self, handle, name: file.lastPathComponent)
        var declared: Set<String> = []
        var imported = 0
        while true {
            let batch = try rows.next(after: imported)
            if batch.isEmpty { return imported }
            do {
                try write(batch, to: store, &declared)
            } catch let error as DataStoreError {
                throw rows.refused(batch, error, after: imported)
            }
            imported += batch.count
            try progress(Progress(items: imported, bytes: rows.offset, totalBytes: size))
        }
    }

    private func write(
        _ batch: [JSONRows.Row], to store: any DataStore, _ declared: inout Set<String>
    ) throws {
        var names: [String] = []
        for row in batch {
            for member in row.members where declared.insert(member.name).inserted {
                names.append(member.name)
            }
        }
        let isFirst = declared.count == names.count
        try store.performWrite { db in
            if isFirst || !names.isEmpty {
                // What is known already may be declared more closely.
                let known = try db.schemas().first { $0.itemTypeKey == itemType }
                let names = names.filter { known?.has($0) != true }
                try db.declare(ItemSchema(itemType, attributes: names.map { AttributeSchema($0) }))
            }
            for row in batch {
                let item = try db.create(itemType)
                for member in row.members {
                    try item.backing.setValue(member.value, forAttribute: member.name)
                }
            }
        }
    }

    /// Throws what ``run(_:into:progress:)`` would if the file is not there, is a directory or cannot be
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
                .invalidInput, in: "import", "“\(path)” is a directory. Give a file of JSON.")
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

extension ItemSchema {
    /// Whether an attribute has that name or had it.
    fileprivate func has(_ name: String) -> Bool {
        index(ofAttribute: name) != nil || attributes.contains { $0.formerNames.contains(name) }
    }
}
