import JustPersist
import JustPersistMemory
import JustPersistRecords

/// An engine in memory whose stored bytes can be replaced.
final class BytesEngine: KeyValueEngine {
    typealias Entry = (key: [UInt8], value: [UInt8])

    private let memory = InMemoryEngine()

    var traits: KeyValueEngineTraits { memory.traits }

    func open() throws(DataStoreError) { try memory.open() }
    func close() { memory.close() }
    func destroy() throws(DataStoreError) { try memory.destroy() }
    func read(_ body: (any KeyValueReader) throws -> Void) throws { try memory.read(body) }
    func write(_ body: (any KeyValueWriter) throws -> Void) throws { try memory.write(body) }

    /// Opens the engine with these entries and no others.
    func fill(_ entries: [Entry]) throws {
        try memory.open()
        try memory.write { writer in
            for (key, value) in entries { try writer.put(value.span, forKey: key.span) }
        }
    }

    /// All entries, by ascending key.
    func entries() throws -> [Entry] {
        var entries: [Entry] = []
        try memory.read { reader in
            try reader.scan(KeyRange(prefix: []), reversed: false) { key, value in
                entries.append((key.indices.map { key[$0] }, value.indices.map { value[$0] }))
                return .next
            }
        }
        return entries
    }
}
