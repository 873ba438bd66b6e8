import Foundation
import JustPersist

/// The values of the most common kinds, each `nil` for a field of another kind.
extension RecordFormat.Field {
    @inline(__always)
    func text(in record: Span<UInt8>) -> String? {
        tag == ValueTag.plainText || tag == ValueTag.text ? record.text(in: range) : nil
    }

    @inline(__always)
    func integer(in record: Span<UInt8>) -> Int64? {
        tag == ValueTag.int ? word(in: record).map { Int64(bitPattern: $0) } : nil
    }

    @inline(__always)
    func double(in record: Span<UInt8>) -> Double? {
        tag == ValueTag.double ? word(in: record).map { Double(bitPattern: $0) } : nil
    }

    @inline(__always)
    func bool(in record: Span<UInt8>) -> Bool? {
        tag == ValueTag.yes ? true : tag == ValueTag.no ? false : nil
    }

    @inline(__always)
    func date(in record: Span<UInt8>) -> Date? {
        guard tag == ValueTag.date, let word = word(in: record) else { return nil }
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: word))
    }

    /// The number of the type and the id.
    func reference(in record: Span<UInt8>) -> (type: UInt32, id: ItemID)? {
        guard tag == ValueTag.reference, range.count == 20 else { return nil }
        return (record.word32(at: start), ValueDecoding.id(in: record, at: start + 4))
    }

    @inline(__always)
    private func word(in record: Span<UInt8>) -> UInt64? {
        range.count == 8 ? record.word64(at: start) : nil
    }
}
