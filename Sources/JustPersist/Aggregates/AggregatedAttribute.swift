public import Foundation

/// The type of an attribute that can be added up: a number, optional or not.
public protocol NumericAttribute {
    /// The type of a sum: `Int` for whole numbers, otherwise `Double` or `Decimal`.
    associatedtype Sum: SumOfAttribute = Int
    /// The type of an average: `Double`, or `Decimal` for decimals.
    associatedtype Average: SumOfAttribute = Double
}

/// The type of a sum or an average: `Int`, `Double` or `Decimal`.
public protocol SumOfAttribute: Sendable {
    /// The number, if this type can represent it.
    init?(sum: DataStoreValue)
}

/// An attribute type whose values a store orders as the type itself does, optional or not.
///
/// A type of your program may have its own `<`, which a store does not know. Ask for the values of such an attribute by
/// name, and the store compares the stored values.
public protocol OrderedAttribute {
    /// The type of one value.
    associatedtype Ordered: AttributeValue & Sendable = Self
}

extension Int: SumOfAttribute {
    /// The number, if it fits into 64 bits.
    public init?(sum: DataStoreValue) {
        guard case .int(let number) = sum else { return nil }
        self.init(exactly: number)
    }
}

extension Double: SumOfAttribute {
    /// The nearest number.
    public init?(sum: DataStoreValue) {
        guard let number = ExactNumber(sum) else { return nil }
        self = number.asDouble
    }
}

extension Decimal: SumOfAttribute {
    /// The number, unless there were Doubles in the sum.
    public init?(sum: DataStoreValue) { self.init(sum) }
}

extension Optional: NumericAttribute where Wrapped: NumericAttribute {
    /// As for the wrapped type.
    public typealias Sum = Wrapped.Sum
    /// As for the wrapped type.
    public typealias Average = Wrapped.Average
}

extension Optional: OrderedAttribute where Wrapped: OrderedAttribute {
    /// As for the wrapped type.
    public typealias Ordered = Wrapped.Ordered
}

extension Int: NumericAttribute, OrderedAttribute {}
extension Int8: NumericAttribute, OrderedAttribute {}
extension Int16: NumericAttribute, OrderedAttribute {}
extension Int32: NumericAttribute, OrderedAttribute {}
extension Int64: NumericAttribute, OrderedAttribute {}
extension Int128: NumericAttribute, OrderedAttribute {}
extension UInt: NumericAttribute, OrderedAttribute {}
extension UInt8: NumericAttribute, OrderedAttribute {}
extension UInt16: NumericAttribute, OrderedAttribute {}
extension UInt32: NumericAttribute, OrderedAttribute {}
extension UInt64: NumericAttribute, OrderedAttribute {}
extension UInt128: NumericAttribute, OrderedAttribute {}

extension Double: NumericAttribute, OrderedAttribute {
    /// The type of a sum.
    public typealias Sum = Double
}

extension Float: NumericAttribute, OrderedAttribute {
    /// The type of a sum.
    public typealias Sum = Double
}

extension Decimal: NumericAttribute, OrderedAttribute {
    /// The type of a sum.
    public typealias Sum = Decimal
    /// The type of an average.
    public typealias Average = Decimal
}

extension String: OrderedAttribute {}
extension Date: OrderedAttribute {}
extension Data: OrderedAttribute {}
extension UUID: OrderedAttribute {}
extension URL: OrderedAttribute {}
