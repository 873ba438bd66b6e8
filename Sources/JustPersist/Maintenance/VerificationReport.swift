/// The result of checking a whole store.
public struct VerificationReport: Sendable {
    /// The number of sound items, by the type's key.
    public var itemCounts: [String: Int]
    /// The faults that were found; empty if there are none.
    public var problems: [DataStoreError]

    /// A report.
    public init(itemCounts: [String: Int] = [:], problems: [DataStoreError] = []) {
        self.itemCounts = itemCounts
        self.problems = problems
    }
}

extension DataStore {
    /// Reads every value of every item of one snapshot, and compares the number of items of each type with the number
    /// that the store keeps.
    ///
    /// Damage is listed in the report; this throws only if the store cannot be read at all. Where the store can, the
    /// check continues after a damaged item.
    public func verify() throws -> VerificationReport {
        var report = VerificationReport()
        try performRead { accessor in
            for schema in try accessor.schemas() {
                let key = schema.itemTypeKey
                let request = DataStoreRequest(itemTypeKey: key)
                var count = 0
                do {
                    try accessor.forEach(request) { item in
                        for attribute in item.backing.attributeNames {
                            _ = try item.backing.value(forAttribute: attribute)
                        }
                        count += 1
                    }
                    let counted = try accessor.count(request)
                    if counted != count {
                        report.problems.append(.wrongCount(counted, found: count, itemType: key))
                    }
                } catch let error as DataStoreError {
                    if error.code == .cancelled { throw CancellationError() }
                    report.problems.append(error)
                }
                report.itemCounts[key] = count
            }
        }
        return report
    }
}

extension DataStoreError {
    /// The problem that a store's stored number of items differs from the number of items found.
    public static func wrongCount(_ count: Int, found: Int, itemType: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "verify",
            "The store counts \(count.counted("item")) of “\(itemType)”, but has \(found).",
            itemType: itemType)
    }
}
