import Foundation

/// The first byte of a key in the raw engines, before the id.
enum RawKey: UInt8 {
    case restaurant = 1
    case inspection = 2
    /// Entries of indexes: the value, followed by the id.
    case byBorough = 3
    case byRating = 4

    /// Calls `body` with the 17 bytes of a key.
    func with<R>(_ id: UUID, _ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
        var key = (rawValue, id.uuid)
        return try withUnsafeMutableBytes(of: &key, body)
    }
}

extension NewItem {
    /// Calls `body` with the key and the value that the raw engines store.
    func withRaw<R>(
        _ buffer: UnsafeMutableRawBufferPointer,
        _ body: (_ key: UnsafeMutableRawBufferPointer, _ value: UnsafeMutableRawBufferPointer)
            throws -> R
    ) rethrows -> R {
        switch self {
        case .restaurant(let restaurant):
            let value = RawRecord.encode(restaurant, into: buffer)
            return try RawKey.restaurant.with(restaurant.id) { try body($0, value) }
        case .inspection(let inspection):
            let value = RawInspection.encode(inspection, into: buffer)
            return try RawKey.inspection.with(inspection.id) { try body($0, value) }
        }
    }
}
