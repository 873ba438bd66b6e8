import JustPersist

extension KeyValueReader {
    /// The numbers of the types that have keys with a tag, in ascending order.
    ///
    /// Reads one key for each type, however many keys it has.
    func typeNumbers(_ tag: UInt8) throws(DataStoreError) -> [UInt32] {
        var numbers: [UInt32] = []
        var rest: KeyRange? = KeyRange(prefix: [tag])
        while let range = rest {
            rest = nil
            try scanKeys(range, reversed: false) { (key) throws(DataStoreError) in
                let number = key.word32(at: 1).byteSwapped
                numbers.append(number)
                if number < .max {
                    rest = KeyRange(from: KeySpace.key(tag, type: number + 1), upTo: range.upper)
                }
                return .stop
            }
        }
        return numbers
    }
}
