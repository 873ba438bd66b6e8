import Foundation

/// A type whose values compare as their stored forms do.
///
/// Only the types that requests know conform. A type of the program may have its own `==` or `<`, of which only the
/// results can be known: ``TypedComparison`` evaluates those, or refuses.
protocol ComparedAsStored {}

extension Bool: ComparedAsStored {}
extension Int: ComparedAsStored {}
extension Int8: ComparedAsStored {}
extension Int16: ComparedAsStored {}
extension Int32: ComparedAsStored {}
extension Int64: ComparedAsStored {}
extension Int128: ComparedAsStored {}
extension UInt: ComparedAsStored {}
extension UInt8: ComparedAsStored {}
extension UInt16: ComparedAsStored {}
extension UInt32: ComparedAsStored {}
extension UInt64: ComparedAsStored {}
extension UInt128: ComparedAsStored {}
extension Double: ComparedAsStored {}
extension Float: ComparedAsStored {}
extension Decimal: ComparedAsStored {}
extension String: ComparedAsStored {}
extension Date: ComparedAsStored {}
extension Data: ComparedAsStored {}
extension UUID: ComparedAsStored {}
extension URL: ComparedAsStored {}
extension ItemID: ComparedAsStored {}
extension ItemReference: ComparedAsStored {}
extension DataStoreValue: ComparedAsStored {}
extension Optional: ComparedAsStored where Wrapped: ComparedAsStored {}
extension Array: ComparedAsStored where Element: ComparedAsStored {}
extension Dictionary: ComparedAsStored where Key == String, Value: ComparedAsStored {}
