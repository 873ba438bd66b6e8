import JustPersist

/// Checks that indexes follow the items: when items change, and when a block is rolled back.
extension IndexChecks {
    static let keeping: [CheckDefinition] = [
        CheckDefinition(
            "idx/after-update", clause: [4, 20],
            "A changed item is found, counted and sorted by its current values, and not by its former ones."
        ) { check in
            var corpus = try numbered(in: check.openStore())
            let changes: [(Int, [String: DataStoreValue])] = stride(
                from: 0, to: corpus.ids.count, by: 3
            ).map { index in
                switch index % 4 {
                case 0: (index, [key: .int(Int64(40 + index % 8))])
                case 1: (index, [key: .null, text: .string("new")])
                case 2: (index, [key: .string("moved")])
                default: (index, [text: .null, other: .int(9)])
                }
            }
            try corpus.store.write { db in
                for (index, values) in changes { try corpus.set(values, ofItem: index, db) }
                let answers = try Answers(to: probes, of: corpus, check)
                try answers.expect("in the block that changed some items", in: db)
                // The item changes twice in a block, and back to its former value.
                let item = try db.liveItem(corpus.type, corpus.ids[1])
                for values in [[key: .int(41)], [key: .int(17)], row(1)] {
                    try item.set(values)
                    corpus.note(values, ofItem: 1)
                    try Answers(
                        to: [
                            Query(predicate: .compare(key, .in, .array([.int(41), .int(17)]))),
                            Query(predicate: .compare(key, .equal, .int(7))),
                        ], of: corpus, check
                    ).expect("while one item changes", in: db)
                }
            }
            try Answers(to: probes, of: corpus, check).expect("after some were changed")
            try corpus.set(changes.map { ($0.0, row($0.0)) })
            try Answers(to: probes, of: corpus, check).expect("after they were changed back")
        },
        CheckDefinition(
            "idx/after-rollback", clause: [5, 20],
            "Changes of a block that throws are in no index, neither immediately nor after later blocks."
        ) { check in
            var corpus = try numbered(in: check.openStore())
            let before = try Answers(to: probes, of: corpus, check)
            for round in 0..<2 {
                _ = check.expectThrows("a block that throws") {
                    try corpus.store.write { db in
                        for index in stride(from: 0, to: 90, by: 2) {
                            try db.liveItem(corpus.type, corpus.ids[index])
                                .set([key: .int(45), text: .string("new")])
                        }
                        for index in stride(from: 1, to: 90, by: 4) {
                            _ = try db.performDelete(
                                db.liveItem(corpus.type, corpus.ids[index]))
                        }
                        for number in 0..<30 {
                            try db.create(corpus.type).set([key: .int(Int64(number % 5))])
                        }
                        // The request makes the store apply the changes, which it may have deferred.
                        _ = try db.performCount(Query().request(corpus.type))
                        if round == 1 {
                            try db.performDeleteAll([ItemType(dynamic: corpus.type)])
                        }
                        throw Rollback()
                    }
                }
                try before.expect("after a block was rolled back")
            }
            try corpus.set([(3, [key: .int(45)]), (4, [text: .string("new")])])
            let after = try Answers(to: probes, of: corpus, check)
            try after.expect("after a block that followed one that was rolled back")
            if check.reopeningKeepsData {
                try after.expect(
                    "after the store was reopened", in: try check.reopened(corpus.store))
            }
        },
        CheckDefinition(
            "idx/declared-later", clause: [9, 20],
            "An index that is declared when there are items changes no answer."
        ) { check in
            var corpus = try numbered(indexes: [], in: check.openStore())
            let before = try Answers(to: probes, of: corpus, check)
            try before.expect("without an index")
            let schema = ItemSchema(
                corpus.type, attributes: [key, text, other].map { AttributeSchema($0) },
                indexes: indexes)
            try corpus.store.write { db in
                try db.declare(schema)
                try before.expect("in the block that declared indexes", in: db)
            }
            try before.expect("after indexes were declared")
            try corpus.set((0..<40).map { ($0 * 3, [key: .int(46)]) })
            try corpus.store.write { db in
                for number in 0..<40 { try corpus.create(row(number), db) }
            }
            let after = try Answers(to: probes, of: corpus, check)
            try after.expect("after items that were created later than the declaration")
            var store = corpus.store
            if check.reopeningKeepsData {
                store = try check.reopened(store)
                try after.expect("after the store was reopened", in: store)
            }
            // An index can also be declared in the block that creates the items.
            var second = try numbered(
                40, indexes: [], as: "ConformanceIndexLate", in: store)
            try second.store.write { db in
                for number in 40..<120 { try second.create(row(number), db) }
                try db.declare(
                    ItemSchema(
                        second.type, attributes: [key, text, other].map { AttributeSchema($0) },
                        indexes: indexes))
                try Answers(to: probes, of: second, check)
                    .expect("in the block that made items", in: db)
            }
            try Answers(to: probes, of: second, check)
                .expect("after a block that made items and an index")
        },
    ]

    static let leaving: [CheckDefinition] = [
        CheckDefinition(
            "idx/after-delete", clause: [4, 20],
            "A deleted item is in no index, and an item that is created afterwards is found."
        ) { check in
            var corpus = try numbered(in: check.openStore())
            try corpus.store.write { db in
                for index in stride(from: 0, to: corpus.ids.count, by: 3).reversed() {
                    try corpus.delete(item: index, db)
                }
                try Answers(to: probes, of: corpus, check)
                    .expect("in the block that deleted some", in: db)
            }
            try Answers(to: probes, of: corpus, check).expect("after some were deleted")
            try corpus.store.write { db in
                // One item is changed and deleted, and another is created and deleted, in one block.
                let item = try db.liveItem(corpus.type, corpus.ids[0])
                try item.set([key: .int(44)])
                _ = try db.performDelete(item)
                corpus.noteDeletion(ofItem: 0)
                let made = try db.create(corpus.type)
                try made.set([key: .int(44)])
                _ = try db.performDelete(made)
                for number in 0..<60 { try corpus.create(row(number), db) }
                try Answers(to: probes, of: corpus, check)
                    .expect("in the block that created others", in: db)
            }
            try Answers(to: probes, of: corpus, check).expect("after others were created")
        },
        CheckDefinition(
            "idx/after-delete-all", clause: [4, 20],
            "Deleting all items of a type empties its indexes, and no others."
        ) { check in
            var corpus = try numbered(in: check.openStore())
            let neighbour = try numbered(as: "ConformanceIndexNeighbour", in: corpus.store)
            try corpus.store.write { db in
                try db.create(corpus.type).set([key: .int(43)])
                try db.performDeleteAll([ItemType(dynamic: corpus.type)])
                corpus.noteDeletionOfAll()
                try Answers(to: probes, of: corpus, check)
                    .expect("in the block that deleted all", in: db)
                for number in 0..<100 { try corpus.create(row(number), db) }
                try Answers(to: probes, of: corpus, check)
                    .expect("in the block that deleted all and made others", in: db)
            }
            try Answers(to: probes, of: corpus, check).expect(
                "after all were deleted and others created")
            try Answers(to: probes, of: neighbour, check).expect("of another type")
        },
    ]
}
