public import JustPersist

/// How the objects of a file, or of a server's answer, become items of a type.
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
/// A key path is a key, or several with dots between: `meta.date` is the member `meta.date`, or else the member `date` of
/// the object `meta`. A number is a place in an array: `coordinates.0`. Of several key paths the first one counts that has a
/// value. If none has one, and one of them is null, the attribute is null. If none is there, an item that exists keeps its
/// value, and a new one has its default.
///
/// ### Kinds
///
/// A value of another kind than the attribute's is converted if its text can be read as that kind: `"42"` becomes the Int
/// 42, and `42` the text "42". The rules are those for the cells of CSV, see <doc:ImportingWithAMapping>. A value that cannot
/// be converted is an error.
public struct ItemMapping: Sendable {
    /// Where the values of the attributes come from.
    ///
    /// An attribute that is not listed has the value of the key with its own name; see ``keepsOtherKeys``.
    public var attributes: [String: Source]
    /// The unique attribute by which objects are about items; `nil` if each object makes a new item.
    ///
    /// The item with the object's value for this attribute is changed, or made if there is none. The class must declare the
    /// attribute unique; in a type without a class and without items the import does that.
    public var key: String?
    /// Whether keys that no source names become attributes of their own names.
    ///
    /// Of a type with a class these are the keys that are attributes of the class, and others are ignored. What a source
    /// names is not imported a second time: `meta` is left with what is not `meta.date`, and left out if that is nothing.
    public var keepsOtherKeys = true
    /// Called with each object before it is imported; returns the object to import, or `nil` to leave it out.
    ///
    /// An error that it throws is one of that object.
    public var willImport: Preparation?
    /// Called with each item after its values were set, and with the object that they came from.
    ///
    /// An error that it throws is one of that object.
    public var didImport: Completion?

    /// What ``willImport`` does.
    public typealias Preparation =
        @Sendable (_ object: [String: DataStoreValue]) throws -> [String: DataStoreValue]?
    /// What ``didImport`` does.
    public typealias Completion =
        @Sendable (_ item: any MutableDataStoreItem, _ object: [String: DataStoreValue]) throws ->
        Void

    /// A mapping with sources for some attributes.
    public init(_ attributes: [String: Source] = [:], key: String? = nil) {
        self.attributes = attributes
        self.key = key
    }
}
