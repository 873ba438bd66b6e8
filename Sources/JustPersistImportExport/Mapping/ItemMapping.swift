public import JustPersist

/// The conversion of the objects of a file, or of a server's response, to items of a type.
///
/// ```swift
/// let mapping = ItemMapping(
///     [
///         "name": .from("title", "headline"),
///         "published": .from("meta.date", format: "yyyy-MM-dd"),
///         "author": .item(Author.self, from: "writer", mapping: ItemMapping(key: "id")),
///     ], key: "id")
/// try store.write { db in try db.importItems(Article.self, from: objects, mapping: mapping) }
/// ```
///
/// Pass it to `importItem(_:from:mapping:)` and `importItems(_:from:mapping:)` in a write block, or set
/// ``ItemImport/mapping`` to import files with it.
///
/// ### Key paths
///
/// A key path is a key, or several keys with dots between them: `meta.date` is the member `meta.date`, or else the
/// member `date` of the object `meta`. A number is an index of an array: `coordinates.0`. If there are several key
/// paths, the first one with a value applies. If none has a value, and one of them is null, the attribute is null. If
/// none exists, an existing item keeps its value, and a new one has its default.
///
/// ### Kinds
///
/// A value of another kind than the attribute's is converted if its text can be read as that kind: `"42"` becomes the
/// Int 42, and `42` the text "42". The rules are those for the cells of CSV, see <doc:ImportingWithAMapping>. A value
/// that cannot be converted is an error.
public struct ItemMapping: Sendable {
    /// The sources of the attributes' values.
    ///
    /// An attribute that is not listed has the value of the key with its name; see ``keepsOtherKeys``.
    public var attributes: [String: Source]
    /// The unique attribute that identifies the item of an object; `nil` if each object creates a new item.
    ///
    /// The item with the object's value for this attribute is changed, or created if there is none. The class must
    /// declare the attribute unique; for a type without a class and without items the import declares it.
    public var key: String?
    /// Whether keys that no source names become attributes with their names.
    ///
    /// For a type with a class, only keys that are attributes of the class are imported. A member that a source names
    /// is not imported a second time: `meta` keeps the members other than `meta.date`, and is left out if there are
    /// none.
    public var keepsOtherKeys = true
    /// Called with each object before it is imported; returns the object to import, or `nil` to leave it out.
    ///
    /// If it throws, the import of the object fails with that error.
    public var willImport: Preparation?
    /// Called with each item after its values were set, and with the object that they came from.
    ///
    /// If it throws, the import of the object fails with that error.
    public var didImport: Completion?

    /// The type of ``willImport``.
    public typealias Preparation =
        @Sendable (_ object: [String: DataStoreValue]) throws -> [String: DataStoreValue]?
    /// The type of ``didImport``.
    public typealias Completion =
        @Sendable (_ item: any MutableDataStoreItem, _ object: [String: DataStoreValue]) throws ->
        Void

    /// A mapping with sources for some attributes.
    public init(_ attributes: [String: Source] = [:], key: String? = nil) {
        self.attributes = attributes
        self.key = key
    }
}
