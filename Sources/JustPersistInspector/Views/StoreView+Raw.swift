import Foundation
import JustPersist
import JustPersistRecords

/// The entries of a store as they are kept, for stores of ordered keys; damaged records are shown too.
extension StoreView {
    struct RawEntries: Encodable {
        struct Entry: Encodable {
            /// In hexadecimal digits.
            let key: String
            let value: String
            let size: Int
            let part: String?
            let type: String?
            let id: String?
            /// Whether the checksum is right; `nil` for entries that are checked with the whole store.
            let isSound: Bool?
        }

        struct Part: Encodable {
            let name: String
            let type: String?
            let number: UInt32?
        }

        let time: Date
        let entries: [Entry]
        let parts: [Part]
    }

    /// The store, if it has entries of its own.
    var rawStore: (any RecordCopying)? {
        guard let store = store as? any RecordCopying, store.ownsRecords else { return nil }
        return store
    }

    func raw(_ parameters: Parameters) async throws -> RawEntries {
        guard let rawStore else {
            throw DataStoreError(
                .unsupported, in: "inspect", "This kind of store has no entries of its own to show."
            )
        }
        if !redaction.isEmpty {
            throw DataStoreError(
                .invalidRequest, in: "inspect",
                "Bytes are not shown while attributes are hidden by --redact.")
        }
        let name = try parameters.optional("part")
        let part = name.flatMap(StoredEntry.Part.init(rawValue:))
        if let name, part == nil {
            throw DataStoreError(.invalidRequest, in: "inspect", "There is no part “\(name)”.")
        }
        let number = try parameters.number("number", 0...Int(UInt32.max)).map { UInt32($0) }
        let limit = try parameters.number("limit", 1...500) ?? 50
        let after = try parameters.key("after").map { $0 + [0] }
        let first = try after ?? parameters.key("from")
        return try await inThread {
            try WorkLimit.within(Self.deadline, countsPauses: true) { () throws in
                var result: RawEntries?
                try rawStore.readRecords { records in
                    let time = Date()
                    let entries = try records.entries(
                        of: part, type: number, from: first, limit: limit, valueBytes: 256)
                    result = RawEntries(
                        time: time,
                        entries: entries.map {
                            .init(
                                key: $0.key.hexadecimal, value: $0.value.hexadecimal, size: $0.size,
                                part: $0.part?.rawValue, type: $0.type, id: $0.id?.description,
                                isSound: $0.isSound)
                        },
                        parts: StoredEntry.Part.allCases.flatMap { part -> [RawEntries.Part] in
                            let all = RawEntries.Part(name: part.rawValue, type: nil, number: nil)
                            if part != .record, part != .index { return [all] }
                            return [all]
                                + records.types.map {
                                    RawEntries.Part(
                                        name: part.rawValue, type: $0.key, number: $0.number)
                                }
                        })
                }
                guard let result else { throw CancellationError() }
                return result
            }
        }
    }
}
