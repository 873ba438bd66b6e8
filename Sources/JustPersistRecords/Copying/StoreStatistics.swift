import JustPersist

/// The space that a store's entries take, by the part of the store, the type and the index.
package struct StoreStatistics: Sendable {
    /// The entries of one part, type and index.
    package struct Share: Sendable {
        /// `nil` for keys that no release writes.
        package let part: StoredEntry.Part?
        package let type: String?
        /// The attributes of an index.
        package let index: [String]?
        package fileprivate(set) var entries = 0
        package fileprivate(set) var keyBytes = 0
        package fileprivate(set) var valueBytes = 0
        package fileprivate(set) var largest = 0
        /// The numbers of values by their size: at place n those of less than 2ⁿ bytes, and of 2ⁿ⁻¹ or more.
        package fileprivate(set) var sizes: [Int] = []

        /// The numbers of values of less than 16 bytes, 64, 256 and so on.
        package var histogram: [Int] {
            // Sizes below 16 have the places 0 to 4.
            [sizes.prefix(5).reduce(0, +)]
                + stride(from: 5, to: sizes.count, by: 2).map {
                    sizes[$0...].prefix(2).reduce(0, +)
                }
        }

        fileprivate mutating func add(_ key: Int, _ value: Int) {
            entries += 1
            keyBytes += key
            valueBytes += value
            largest = max(largest, value)
            let place = Int.bitWidth - value.leadingZeroBitCount
            while sizes.count <= place { sizes.append(0) }
            sizes[place] += 1
        }
    }

    /// In the order of the keys.
    package fileprivate(set) var shares: [Share] = []

    package init() {}
}

extension StoredRecords {
    /// Counts all entries of the store.
    ///
    /// - Parameter progress: Is called with the number of entries now and then; an error from it ends the count.
    package func statistics(_ progress: (Int) throws -> Void) throws -> StoreStatistics {
        var statistics = StoreStatistics()
        var (head, count): ([UInt8]?, Int) = (nil, 0)
        var failure: (any Error)?
        try block.reader.scan(.all, reversed: false) { (key, value) throws(DataStoreError) in
            // Entries of one share follow one another.
            let next = key.copied(0..<headLength(of: key))
            if head != next {
                head = next
                statistics.shares.append(share(next))
            }
            statistics.shares[statistics.shares.count - 1].add(key.count, value.count)
            count += 1
            if count.isMultiple(of: 4096) {
                do { try progress(count) } catch {
                    failure = error
                    return .stop
                }
            }
            return .next
        }
        if let failure { throw failure }
        return statistics
    }

    /// The length of the beginning of a key that decides about its share.
    private func headLength(of key: Span<UInt8>) -> Int {
        let length =
            switch StoredEntry.Part(tag: key.isEmpty ? nil : key[0]) {
            case .record: 5
            case .index: 7
            default: 1
            }
        return min(length, key.count)
    }

    private func share(_ head: [UInt8]) -> StoreStatistics.Share {
        let part = StoredEntry.Part(tag: head.first)
        let type =
            head.count >= 5 ? catalog[head[1...4].reduce(0) { $0 << 8 | UInt32($1) }] : nil
        var index: [String]?
        if let type, head.count == 7 {
            let number = Int(head[5]) << 8 | Int(head[6])
            index = type.indexes.first { Int($0.number) == number }.map {
                type.schema(of: $0).attributes
            }
        }
        return StoreStatistics.Share(part: part, type: type?.key, index: index)
    }
}
