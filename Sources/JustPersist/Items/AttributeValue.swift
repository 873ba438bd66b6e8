/// A Swift type that can be an attribute's type: it turns into a stored value and back.
///
/// The types of ``DataStoreValue`` conform, and so do arrays and string-keyed dictionaries of conforming
/// types. An enum with a raw value, and any `Codable` type, works as an attribute without conforming:
/// the first is kept as its raw value, the second as a dictionary.
public protocol AttributeValue: Codable {
    /// The kind of value this type is stored as; `nil` if it varies.
    static var attributeKind: DataStoreValue.Kind? { get }

    /// The value back from what is stored; `nil` if that is of another kind or out of range.
    init?(_ value: DataStoreValue)

    /// What to store, or ``DataStoreError/Code/unsupportedValue`` if it does not fit any kind.
    func storedValue() throws(DataStoreError) -> DataStoreValue

    /// The value of an attribute by a short cut of its backing; `nil` says nothing.
    ///
    /// By default there is none.
    static func read(at index: Int, from backing: any ItemBacking) -> Self?

    /// Sets an attribute to this value by a short cut of its backing, and tells whether it did.
    ///
    /// By default there is none.
    func write(at index: Int, to backing: any ItemBacking) -> Bool
}

extension AttributeValue {
    /// No short cut.
    @inlinable
    public static func read(at index: Int, from backing: any ItemBacking) -> Self? { nil }

    /// No short cut.
    @inlinable
    public func write(at index: Int, to backing: any ItemBacking) -> Bool { false }
}
