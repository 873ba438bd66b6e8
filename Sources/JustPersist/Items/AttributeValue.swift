/// A Swift type that can be an attribute's type: it converts to a stored value and back.
///
/// The types of ``DataStoreValue`` conform, and so do arrays and string-keyed dictionaries of conforming
/// types. An enum with a raw value, and any `Codable` type, works as an attribute without conforming:
/// the first is kept as its raw value, the second as a dictionary.
public protocol AttributeValue: Codable {
    /// The kind of value this type is stored as; `nil` if it varies.
    static var attributeKind: DataStoreValue.Kind? { get }

    /// The value of a stored value; `nil` if that is of another kind or out of range.
    init?(_ value: DataStoreValue)

    /// The stored form, or ``DataStoreError/Code/unsupportedValue`` if the value does not fit any kind.
    func storedValue() throws(DataStoreError) -> DataStoreValue

    /// Reads an attribute through a fast path of its backing.
    ///
    /// `nil` means that there is no fast path, not that there is no value. The default returns `nil`.
    static func read(at index: Int, from backing: any ItemBacking) -> Self?

    /// Sets an attribute to this value through a fast path of its backing, and returns whether it did.
    ///
    /// The default returns false: there is no fast path.
    func write(at index: Int, to backing: any ItemBacking) -> Bool
}

extension AttributeValue {
    /// No fast path.
    @inlinable
    public static func read(at index: Int, from backing: any ItemBacking) -> Self? { nil }

    /// No fast path.
    @inlinable
    public func write(at index: Int, to backing: any ItemBacking) -> Bool { false }
}
