import Foundation

/// A type whose values compare as their stored forms do.
///
/// Only types with a built-in meaning in requests conform. A type of the program may have its own `==` or `<`:
/// ``TypedComparison`` evaluates these for each case of an enum, and refuses them for other types.
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
