import JustPersist

/// An encoder and a key, used again for each record that a block writes.
struct RecordWriting {
    private(set) var encoder = RecordEncoder()
    private(set) var key = RecordKey(type: 0)
    private var keyType: UInt32 = 0

    mutating func encode(_ backing: RecordBacking, number: UInt32) {
        let old = backing.record
        encoder.encode(
            backing.changes, over: old.span,
            seed: RecordFormat.seed(type: number, id: backing.id))
        setKey(number, backing.id)
    }

    mutating func setKey(_ type: UInt32, _ id: ItemID) {
        if type != keyType {
            key = RecordKey(type: type)
            keyType = type
        }
        key.set(id)
    }
}
