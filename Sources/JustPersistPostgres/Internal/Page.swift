import CPostgres
import JustPersist
import JustPersistRecords

/// The rows of a statement.
final class Page: KeyValuePage {
    private let result: ResultHandle
    private(set) var count: Int
    /// Set by the request, which knows how many rows it wanted.
    var isLast = true

    init(_ result: consuming ResultHandle) {
        count = result.rowCount
        self.result = result
    }

    var byteCount: Int { Int(unsafe PQresultMemorySize(result.pointer)) }

    var tag: String { result.tag }

    /// The number of bytes of the values.
    var valueBytes: Int { (0..<count).reduce(0) { $0 + result.byteCount($1, 1) } }

    /// Drops the entries from the first one on whose value was left out; returns whether there is one.
    func dropFromFirstWithoutValue() -> Bool {
        guard let first = (0..<count).first(where: { result.isNull($0, 1) }) else { return false }
        count = first
        return true
    }

    func withEntry(
        at place: Int,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>?) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        try result.withBytes(place, 0) { (key) throws(DataStoreError) -> Void in
            guard hasValues, !result.isNull(place, 1) else { return try body(key, nil) }
            try result.withBytes(place, 1) { (value) throws(DataStoreError) -> Void in
                try body(key, value)
            }
        }
    }

    /// The bytes of a value in the first column as text.
    func text(at row: Int) -> String? { result.text(row, 0) }

    private var hasValues: Bool { unsafe PQnfields(result.pointer) > 1 }
}
