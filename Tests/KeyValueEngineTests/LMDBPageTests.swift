#if os(Linux)
    import Foundation
    import JustPersist
    import JustPersistConformance
    import JustPersistLMDB
    import JustPersistRecords
    import Testing

    /// Pages of an LMDB file that stand in each other's place: LMDB itself does not look.
    ///
    /// Each copy is opened in a forked process, since LMDB ends the one that meets some kinds of damage.
    @Suite struct LMDBPageTests {
        private let temporary: TemporaryDirectory

        init() throws { temporary = try TemporaryDirectory() }

        @Test func swappedOrDoubledPagesGiveNoWrongRowsAndAreFoundByVerify() async throws {
            let seed = UInt64.random(in: .min ... .max)
            print("seed: \(seed)")
            let path = temporary.url.path
            await #expect(processExitsWith: .success) {
                [path = path as String, seed = seed as UInt64] in
                var random = SeededGenerator(seed: seed)
                let model = URL(filePath: path).appending(path: "model")
                let truth = try DamagedCopies.makeStore(at: model, &random)
                let whole = try Data(contentsOf: model.appending(path: "data.mdb"))
                var outcomes: [DamagedCopies.Outcome: Int] = [:]
                for number in 0..<60 {
                    let (copy, damage) = DamagedCopies.damaged(whole, &random)
                    let directory = URL(filePath: path).appending(path: "\(number)")
                    try FileManager.default.createDirectory(
                        at: directory, withIntermediateDirectories: false)
                    try copy.write(to: directory.appending(path: "data.mdb"))
                    let answers = DamagedCopies.inFork { try truth.outcome(at: directory) }
                    let verified = DamagedCopies.inFork { DamagedCopies.verify(at: directory) }
                    outcomes[answers, default: 0] += 1
                    #expect(
                        answers != .wrongRows,
                        "seed \(seed), copy \(number): \(damage), \(answers), verified \(verified)")
                    // LMDB may end the process as soon as it opens the file, which is an answer too.
                    if answers != .right {
                        #expect(
                            verified != .right,
                            "seed \(seed), copy \(number): \(damage), \(answers), verified \(verified)"
                        )
                    }
                    try FileManager.default.removeItem(at: directory)
                }
                print("outcomes: \(outcomes)")
                #expect(outcomes[.error, default: 0] > 0)
                #expect(DamagedCopies.inFork { try truth.outcome(at: model) } == .right)
                #expect(DamagedCopies.inFork { DamagedCopies.verify(at: model) } == .right)
            }
        }

        /// A root of an earlier commit leads to all that the store was then, in order.
        @Test func earlierRootInThePlaceOfTheRootIsFound() throws {
            let url = temporary.place("store")
            let file = url.appending(path: "data.mdb")
            let engine = LMDBEngine(at: url)
            /// Writes every key, and gives the page of the root.
            func commit(_ value: UInt8) throws -> Int {
                try engine.open()
                defer { engine.close() }
                try engine.write { writer throws in
                    for key in 0..<100 as Range<UInt8> {
                        try writer.put(
                            [UInt8](repeating: value, count: 400).span, forKey: [key].span)
                    }
                }
                let bytes = [UInt8](try Data(contentsOf: file))
                func word(_ offset: Int) -> UInt64 {
                    bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
                }
                let meta = word(144) > word(4096 + 144) ? 0 : 4096
                return Int(word(meta + 128))
            }
            let earlier = try commit(1)
            let current = try commit(2)
            #expect(earlier != current)
            var bytes = [UInt8](try Data(contentsOf: file))
            for offset in 0..<4096 {
                bytes.swapAt(earlier * 4096 + offset, current * 4096 + offset)
            }
            try Data(bytes).write(to: file)
            let error = #expect(throws: DataStoreError.self) {
                try engine.open()
                defer { engine.close() }
                try engine.read { reader throws in _ = try reader.value([1]) }
            }
            #expect(error?.code == .corrupted, "\(String(describing: error))")
            let written = #expect(throws: DataStoreError.self) {
                try engine.open()
                defer { engine.close() }
                try engine.write { writer throws in try writer.put([3], [3]) }
            }
            #expect(written?.code == .corrupted, "\(String(describing: written))")
        }

        /// Where the pages are was concluded from the numbers on the first and the last: with one of them in another's
        /// place no page was looked at.
        @Test func pageInThePlaceOfTheFirstOrTheLastIsFound() throws {
            let url = temporary.place("store")
            let engine = LMDBEngine(at: url)
            try engine.open()
            let keys = (0..<100 as Range<UInt8>).map { [$0, 0xAA, 0xBB, 0xCC, 0xDD] }
            try engine.write { writer throws in
                for key in keys {
                    try writer.put([UInt8](repeating: key[0], count: 400).span, forKey: key.span)
                }
            }
            engine.close()
            let file = url.appending(path: "data.mdb")
            let whole = try Data(contentsOf: file)
            func page(of key: [UInt8]) throws -> Range<Int> {
                let number = try #require(whole.firstRange(of: Data(key))).lowerBound / 4096
                return number * 4096..<(number + 1) * 4096
            }
            let middle = try page(of: keys[50])
            for key in [keys[0], keys[99]] {
                let place = try page(of: key)
                var copy = whole
                copy.replaceSubrange(place, with: whole[middle])
                copy.replaceSubrange(middle, with: whole[place])
                try copy.write(to: file)
                try engine.open()
                for lost in [key, keys[50]] {
                    let error = #expect(throws: DataStoreError.self) { try engine.value(lost) }
                    #expect(error?.code == .corrupted)
                }
                #expect(throws: DataStoreError.self) { try engine.pairs() }
                engine.close()
            }
        }

        private static func fill(_ engine: LMDBEngine) throws {
            try engine.write { writer throws in
                for key in 0..<100 as Range<UInt8> {
                    try writer.put(
                        [key, 0xAA, 0xBB, 0xCC, 0xDD], [UInt8](repeating: key, count: 400))
                }
            }
        }

        /// Where the pages are was looked up at the opening only, when there were none yet.
        @Test(arguments: [false, true])
        func misplacedPageIsFoundInAStoreThatWasOpenedEmpty(byAnother: Bool) async throws {
            let url = temporary.place("store")
            let engine = LMDBEngine(at: url)
            try engine.open()
            defer { engine.close() }
            #expect(try engine.pairs() == [])
            if byAnother {
                await #expect(processExitsWith: .success) { [path = url.path as String] in
                    let engine = LMDBEngine(at: URL(filePath: path))
                    try engine.open()
                    try Self.fill(engine)
                    engine.close()
                }
            } else {
                try Self.fill(engine)
            }
            let name = url.appending(path: "data.mdb")
            let whole = try Data(contentsOf: name)
            let places = try ([50, 70] as [UInt8]).map { key in
                let record = Data([key, 0xAA, 0xBB, 0xCC, 0xDD])
                return try #require(whole.firstRange(of: record)).lowerBound / 4096 * 4096
            }
            #expect(places[0] != places[1])
            // In the file itself, which is what the open store has in memory.
            let file = try FileHandle(forWritingTo: name)
            for (place, other) in [(places[0], places[1]), (places[1], places[0])] {
                try file.seek(toOffset: UInt64(place))
                try file.write(contentsOf: whole[other..<other + 4096])
            }
            try file.close()
            for key in [50, 70] as [UInt8] {
                let error = #expect(throws: DataStoreError.self) {
                    try engine.value([key, 0xAA, 0xBB, 0xCC, 0xDD])
                }
                #expect(error?.code == .corrupted)
            }
            #expect(throws: DataStoreError.self) { try engine.pairs() }
            #expect(try engine.value([1, 0xAA, 0xBB, 0xCC, 0xDD])?.count == 400)
        }

        /// The store went back by a commit, and no check detected it.
        @Test func metaPageInThePlaceOfTheOtherIsRefused() throws {
            let pages = [0..<4096, 4096..<8192] as [Range<Int>]
            try expectRefused(afterCommits: 3) { whole in
                [(0, 1), (1, 0)].map { from, to in
                    var copy = whole
                    copy.replaceSubrange(pages[to], with: whole[pages[from]])
                    return copy
                }
            }
        }

        /// The store went back by a commit, and no check detected it.
        @Test func metaPageWithTheNumberOfAnotherCommitIsRefused() throws {
            try expectRefused(afterCommits: 6) { whole in
                // Where the two have the numbers of their commits.
                let places = (144, 4096 + 144)
                let newest = whole[places.0] > whole[places.1] ? places.0 : places.1
                return [places.0, places.1].flatMap { place in
                    let number = whole[place]
                    return [0, number - 2, number - 1, number + 1, number + 2]
                        // The newest, if it is lower by 2, is as a failed commit leaves it.
                        .filter { place != newest || $0 != number - 2 }
                        .map { wrong in
                            var copy = whole
                            copy[place] = wrong
                            return copy
                        }
                }
            }
        }

        /// Expects that each of the files which `damage` makes of a sound one is refused and left untouched.
        private func expectRefused(
            afterCommits count: UInt8, _ damage: (Data) -> [Data]
        ) throws {
            let url = temporary.place("store")
            let engine = LMDBEngine(at: url)
            try engine.open()
            for number in 0..<count { try engine.put([number], [number]) }
            engine.close()
            let file = url.appending(path: "data.mdb")
            let whole = try Data(contentsOf: file)
            for (index, copy) in damage(whole).enumerated() {
                try copy.write(to: file)
                let error = #expect(throws: DataStoreError.self, "copy \(index)") {
                    try engine.open()
                }
                #expect(error?.code == .corrupted)
                #expect(try Data(contentsOf: file) == copy)
            }
            try whole.write(to: file)
            try engine.open()
            #expect(try engine.pairs().count == Int(count))
            engine.close()
        }

        /// The rule for the numbers held the leftovers of a failed commit for damage.
        @Test func failedWriteOfAMetaPageLeavesAStoreThatOpens() async throws {
            for count in [1, 2, 3, 6, 7, 20] as [UInt8] {
                let url = temporary.place("failed-\(count)")
                await #expect(processExitsWith: .success) {
                    [path = url.path as String, count = count as UInt8] in
                    let engine = LMDBEngine(at: URL(filePath: path))
                    try engine.open()
                    for number in 0..<count { try engine.put([number], [number]) }
                    try FailingMetaPages.fail()
                    #expect(throws: DataStoreError.self) { try engine.put([99], [99]) }
                }
                let engine = LMDBEngine(at: url)
                try engine.open()
                #expect(try engine.pairs().map(\.key) == (0..<count).map { [$0] })
                #expect(try engine.verify().isEmpty)
                try engine.put([100], [100])
                engine.close()
                try engine.open()
                #expect(try engine.pairs().count == Int(count) + 1)
                #expect(try engine.verify().isEmpty)
                engine.close()
            }
        }

        /// The rule for the numbers held the pages of a commit that came after the last one on the disk for damage.
        @Test func metaPagesOfEarlierCommitsOverLaterPagesOpen() throws {
            let url = temporary.place("store")
            let engine = LMDBEngine(at: url)
            try engine.open()
            let file = url.appending(path: "data.mdb")
            var states: [Data] = []
            for number in 0..<40 as Range<UInt8> {
                try engine.put([number % 7], [number])
                states.append(try Data(contentsOf: file))
            }
            engine.close()
            for (early, late) in zip(states.indices, states.indices.dropFirst(2)) {
                let cut = states[early][..<8192] + states[late][8192...]
                try cut.write(to: file)
                try engine.open()
                #expect(try engine.pairs().contains { $0.value == [UInt8(early)] })
                #expect(try engine.verify().isEmpty)
                engine.close()
            }
        }

        /// The record was read past the end of the file, and that ended the process.
        @Test func valueThatReachesBehindTheEndOfTheFileIsAnError() async throws {
            let url = temporary.place("store")
            let engine = LMDBEngine(at: url)
            try engine.open()
            let key = [0xAA, 0xBB, 0xCC, 0xDD, 0xEE] as [UInt8]
            try engine.put(key, [1, 2, 3])
            engine.close()
            let file = url.appending(path: "data.mdb")
            var bytes = try Data(contentsOf: file)
            // The size of a value is the first number of its node, 8 bytes before the key.
            let node = try #require(bytes.lastRange(of: Data(key))).lowerBound - 8
            #expect(bytes[node] == 3)
            bytes[node + 2] = 1
            try bytes.write(to: file)
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                for read in [
                    { _ = try engine.value([0xAA, 0xBB, 0xCC, 0xDD, 0xEE]) },
                    { _ = try engine.pairs() },
                ] {
                    let error = #expect(throws: DataStoreError.self) { try read() }
                    #expect(error?.code == .corrupted)
                }
                engine.close()
            }
        }

        /// A large value has pages of its own, and in a scan only those of the keys were looked at.
        @Test func valueInThePlaceOfAnotherIsFoundByScans() throws {
            let url = temporary.place("store")
            let engine = LMDBEngine(at: url)
            try engine.open()
            for number in 0..<2 as Range<UInt8> {
                try engine.put([number], [UInt8](repeating: 0x40 + number, count: 3000))
            }
            engine.close()
            let file = url.appending(path: "data.mdb")
            var bytes = try Data(contentsOf: file)
            let starts = try (0x40..<0x42 as Range<UInt8>).map { byte in
                let run = Data(repeating: byte, count: 3000)
                return try #require(bytes.lastRange(of: run)).lowerBound / 4096 * 4096
            }
            #expect(starts[0] != starts[1])
            let pages = starts.map { bytes.subdata(in: $0..<$0 + 4096) }
            bytes.replaceSubrange(starts[0]..<starts[0] + 4096, with: pages[1])
            bytes.replaceSubrange(starts[1]..<starts[1] + 4096, with: pages[0])
            try bytes.write(to: file)
            try engine.open()
            let error = #expect(throws: DataStoreError.self) { try engine.pairs() }
            #expect(error?.code == .corrupted)
            engine.close()
        }
    }

    /// What a store should answer, and how a damaged copy of it does.
    private struct DamagedCopies {
        let texts: [ItemID: String]
        var ids: [ItemID] { texts.keys.sorted() }

        enum Outcome: Int32 {
            case right, error, wrongRows, notFoundByID, crash
        }

        private static let type = "Note"

        static func makeStore(
            at url: URL, _ random: inout SeededGenerator
        ) throws -> DamagedCopies {
            let store = try LMDBDataStore.open(at: url)
            var texts: [ItemID: String] = [:]
            var number = 0
            for _ in 0..<8 {
                var made: [ItemID: String] = [:]
                try store.write { db in
                    try db.declare(ItemSchema(type, attributes: [AttributeSchema("text")]))
                    for id in texts.keys.sorted() where id.low % 7 == 0 {
                        guard let item = try db.performFetchItem(ItemType(dynamic: type), id: id)
                        else { continue }
                        try db.delete(item)
                        made[id] = ""
                    }
                    for _ in 0..<60 {
                        let item = try db.create(type)
                        let length = number % 50 == 0 ? 6000 : 20 + number * 37 % 300
                        let text = String(repeating: "note \(number) ", count: length / 8)
                        item["text"] = .string(text)
                        made[item.uniqueToken] = text
                        number += 1
                    }
                }
                for (id, text) in made { texts[id] = text.isEmpty ? nil : text }
            }
            try store.close()
            return DamagedCopies(texts: texts)
        }

        /// The bytes with two pages swapped, or one written over another.
        static func damaged(
            _ whole: Data, _ random: inout SeededGenerator
        ) -> (Data, description: String) {
            let pages = whole.count / 4096
            let one = Int.random(in: 2..<pages, using: &random)
            var other = one
            while other == one { other = Int.random(in: 2..<pages, using: &random) }
            func bytes(_ page: Int) -> Data {
                whole.subdata(in: page * 4096..<(page + 1) * 4096)
            }
            var copy = whole
            copy.replaceSubrange(other * 4096..<(other + 1) * 4096, with: bytes(one))
            guard Bool.random(using: &random) else {
                return (copy, "page \(one) doubled over \(other)")
            }
            copy.replaceSubrange(one * 4096..<(one + 1) * 4096, with: bytes(other))
            return (copy, "pages \(one) and \(other) swapped")
        }

        /// Asks for rows in every way, and for each item by its id.
        func outcome(at url: URL) throws -> Outcome {
            let store: LMDBDataStore
            do { store = try LMDBDataStore.open(at: url) } catch { return .error }
            var outcome = Outcome.right
            let request = DataStoreRequest(itemTypeKey: Self.type)
            func attempt(
                _ expected: [ItemID],
                _ body: (borrowing DataStoreReader) throws -> [ItemID]
            ) {
                do {
                    try store.performRead { db in
                        if try body(db) != expected { outcome = .wrongRows }
                    }
                } catch {
                    if outcome == .right { outcome = .error }
                }
            }
            let ids = ids
            attempt(ids) { db in try db.performFetch(request).map(\.uniqueToken) }
            attempt(ids) { db in
                var found: [ItemID] = []
                try db.forEach(request) { found.append($0.uniqueToken) }
                return found
            }
            let sorted = DataStoreRequest(itemTypeKey: Self.type)
            sorted.setSort(byKey: "text", ascending: false)
            attempt(ids) { db in try db.performFetch(sorted).map(\.uniqueToken).sorted() }
            let filtered = DataStoreRequest(itemTypeKey: Self.type)
            filtered.predicate = try DataStorePredicate("text BEGINSWITH 'note'")
            attempt(ids) { db in
                try db.count(filtered) == ids.count ? ids : []
            }
            if outcome != .wrongRows {
                for id in ids {
                    do {
                        try store.performRead { db in
                            let item = try db.performFetchItem(ItemType(dynamic: Self.type), id: id)
                            if item == nil { outcome = .notFoundByID }
                        }
                    } catch {
                        if outcome == .right { outcome = .error }
                    }
                }
            }
            return outcome
        }

        static func verify(at url: URL) -> Outcome {
            do {
                let store = try LMDBDataStore.open(at: url)
                return try store.verify().problems.isEmpty ? .right : .error
            } catch {
                return .error
            }
        }

        static func inFork(_ body: () throws -> Outcome) -> Outcome {
            let child = Foundation.fork()
            if child == 0 {
                _exit(((try? body()) ?? .wrongRows).rawValue)
            }
            var status: Int32 = 0
            unsafe waitpid(child, &status, 0)
            guard status & 0x7F == 0 else { return .crash }
            return Outcome(rawValue: status >> 8 & 0xFF) ?? .crash
        }
    }
#endif
