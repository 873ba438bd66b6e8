import Foundation
import JustPersist

/// Checks of large values, and of many items.
enum SizeChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "size/value-1MiB", clause: [9, 16],
            "Values of 1 MiB are read as they were written, and do not affect others."
        ) { check in
            var items = try check.openValues()
            let text = String(
                repeating: "0123456789abcde\u{e9}", count: check.withinLimit(1 << 20) / 17)
            let values: [DataStoreValue] = [
                .string(text), .string(text + "x"), .data(Data(text.utf8)), .string("small"),
            ].filter { check.capabilities.valueKinds.contains($0.kind) }
            let ids = try values.enumerated().map { number, value in
                try items.create(["before": .int(Int64(number)), "value": value])
            }
            func read(_ when: String) throws {
                for (number, id) in ids.enumerated() {
                    try items.expectValues(
                        ["before": .int(Int64(number)), "value": values[number]], of: id, when)
                    try items.expect([id], where: "before", .equal, .int(Int64(number)), when)
                }
                try items.expect(ids, when)
            }
            try read("beside values of 1 MiB")
            try items.set(["before": .int(0)], of: ids[0])
            try read("after another attribute of the item with 1 MiB was changed")
            if try items.reopens() {
                try read("beside values of 1 MiB, after the store was reopened")
            }
        },
        CheckDefinition(
            "size/value-at-limit", clause: [16], "A value of exactly the limit's size is kept."
        ) { check in
            let limit = check.capabilities.limits.valueBytes
            guard check.profile != .quick || limit <= 16 << 20 else {
                try check.unverified(
                    """
                    the limit is \(limit >> 20) MiB, which takes too long in the profile quick: use \
                    the profile full
                    """)
            }
            let items = try check.openValues()
            guard check.capabilities.valueKinds.contains(.data) else {
                try check.notApplicable("the store does not declare values of kind data")
            }
            // The data has a pattern whose period divides no power of two.
            var data = Data((0..<251).map { UInt8($0) }.prefix(limit))
            while data.count < limit { data.append(data.prefix(limit - data.count)) }
            check.expectEqual(data.count, limit, "the size of the value")
            let id = try items.create(["before": .string("beside"), "value": .data(data)])
            check.tick()
            try items.expectValues(
                ["before": .string("beside"), "value": .data(data)], of: id,
                "with a value at the limit")
            try items.store.write { db in try db.performDeleteAll([items.itemType]) }
            try items.expect([], "after the one with a value at the limit was deleted")
        },
        CheckDefinition(
            "size/hundred-thousand-items", clause: [4, 12, 13],
            "With many items, counting, paging and filtering are correct."
        ) { check in
            var items = try check.openValues()
            let total = check.profile.pick(quick: 5_000, full: 100_000, soak: 1_000_000)
            try check.requireBlocks(of: min(total, 10_000))
            var ids: [ItemID] = []
            while ids.count < total {
                ids += try items.store.write { db in
                    var made: [ItemID] = []
                    for number in ids.count..<min(ids.count + 10_000, total) {
                        // 7,919 and the total are coprime, so each rank occurs once.
                        let rank = Int64(number * 7_919 % total)
                        let item = try items.create(
                            ["value": .int(rank), "before": .int(rank % 10)], db)
                        made.append(item.uniqueToken)
                    }
                    return made
                }
                check.tick()
            }
            func read(_ when: String) throws {
                try items.store.read { db in
                    check.expectEqual(
                        try db.performCount(items.request()), total, "the count \(when)")
                    let tenth = items.request(where: .comparing("before", .equal, .int(3)))
                    check.expectEqual(
                        try db.performCount(tenth), total / 10, "the count of a tenth \(when)")
                    check.tick()
                    for offset in [0, total / 2, total - 10, total - 3, total] {
                        let page = items.request()
                        page.offset = offset
                        page.limit = 10
                        let expected = Array(ids.dropFirst(offset).prefix(10))
                        check.expectEqual(
                            try db.performFetch(page).map { $0.uniqueToken }, expected,
                            "the page of 10 after \(offset) \(when)")
                        page.setSort(byKey: "value", ascending: true)
                        let ranks = try db.dynamicItems(page).map { try $0.value("value") }
                        check.expectEqual(
                            ranks, (offset..<min(offset + 10, total)).map { .int(Int64($0)) },
                            "the sorted page of 10 after \(offset) \(when)")
                    }
                }
            }
            try read("of \(total) items")
            if try items.reopens() { try read("of \(total) items, after the store was reopened") }
        },
        CheckDefinition(
            "size/large-block-then-small", clause: [4, 5],
            "Small blocks are correct after one with 10,000 items, and after one that changes all."
        ) { check in
            let items = try check.openValues()
            let total = check.profile.pick(quick: 10_000, full: 10_000, soak: 200_000)
            try check.requireBlocks(of: total)
            var ids = try items.store.write { db in
                var ids: [ItemID] = []
                for number in 0..<total {
                    ids.append(try items.create(["value": .int(Int64(number))], db).uniqueToken)
                    check.tick()
                }
                return ids
            }
            check.tick()
            for number in 0..<10 { ids.append(try items.create(["value": .int(-Int64(number))])) }
            func count(_ when: String) throws {
                let count = try items.store.read { db in try db.performCount(items.request()) }
                check.expectEqual(count, ids.count, "the count \(when)")
            }
            try count("after a large block and ten small ones")
            try items.expectValues(["value": .int(0)], of: ids[0], "made in a large block")
            try items.expectValues(["value": .int(-9)], of: ids[total + 9], "made in a small block")
            try items.store.write { db in
                try db.performForEach(items.request()) { item in
                    try item.backing.setValue(.string("changed"), forAttribute: "before")
                    check.tick()
                }
            }
            check.tick()
            try items.set(["value": .string("last")], of: ids[5])
            try items.expectValues(
                ["before": .string("changed"), "value": .string("last")], of: ids[5],
                "changed in a small block after a large one")
            try items.expect([ids[5]], where: "value", .equal, .string("last"), "of all")
            let removed = ids.removeFirst()
            try items.store.write { db in try db.delete(try items.live(removed, db)) }
            try count("after one was deleted")
            check.expectEqual(try items.ids(), ids, "the items after one was deleted")
        },
    ]
}
