import JustPersist

extension DataStoreReadAccessor where Self: ~Copyable {
    /// The number of items to expect of a type: if the stored number is damaged, a count of the items.
    func expectedCount(_ itemTypeKey: String) throws -> Int {
        let all = DataStoreRequest(itemTypeKey: itemTypeKey)
        do throws(DataStoreError) {
            return try count(all)
        } catch {
            if error.code != .corrupted { throw error }
        }
        var count = 0
        try forEach(all) { _ in count += 1 }
        return count
    }
}
