import Foundation
import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

/// Verification and repair of relationships of which one side was changed without the other.
@Suite struct RelationVerificationTests {
    private typealias Author = Library.Author
    private typealias Book = Library.Book
    private typealias Tag = Library.Tag
    private typealias Chapter = Library.Chapter
    private typealias Desk = Library.Desk

    /// A small graph with a relationship of each shape.
    struct Sample {
        let ids: [String: ItemID]

        init(filling db: borrowing DataStoreWriter) throws {
            let (ann, bob) = (try db.create(Author.self), try db.create(Author.self))
            let desks = try (0..<2).map { _ in try db.create(Desk.self) }
            let book = try db.create(Book.self)
            ann.desk = desks[0]
            bob.desk = desks[1]
            ann.friends.insert(bob)
            book.author = ann
            var ids = [
                "ann": ann.uniqueToken, "bob": bob.uniqueToken, "book": book.uniqueToken,
                "d0": desks[0].uniqueToken, "d1": desks[1].uniqueToken,
            ]
            var (tags, chapters): ([Tag], [Chapter]) = ([], [])
            for number in 0..<3 {
                tags.append(try db.create(Tag.self))
                chapters.append(try db.create(Chapter.self))
                ids["t\(number)"] = tags[number].uniqueToken
                ids["c\(number)"] = chapters[number].uniqueToken
            }
            for number in [2, 0, 1] {
                book.tags.insert(tags[number])
                book.chapters.insert(chapters[number])
            }
            self.ids = ids
        }

        func id(_ name: String) throws -> ItemID { try #require(ids[name]) }

        func item<Item: MutableDataStoreItem>(
            _ type: Item.Type, _ name: String, _ db: borrowing DataStoreWriter
        ) throws -> Item { try #require(try db.item(type, id: id(name))) }

        func reference(_ type: String, _ name: String) throws -> DataStoreValue {
            .reference(ItemReference(itemTypeKey: type, id: try id(name)))
        }

        /// The names of the others in all relationships.
        func graph(_ db: borrowing DataStoreReader) throws -> [String: [String]] {
            let names = Dictionary(uniqueKeysWithValues: ids.map { ($0.value, $0.key) })
            func name(_ id: ItemID) -> String { names[id] ?? "unknown" }
            var graph: [String: [String]] = [:]
            for author in try db.items(Author.self) {
                let own = name(author.uniqueToken)
                graph["\(own).desk"] = author.desk.map { [name($0.uniqueToken)] } ?? []
                graph["\(own).friends"] = author.friends.ids.map(name)
                graph["\(own).books"] = author.books.ids.map(name)
            }
            for desk in try db.items(Desk.self) {
                graph["\(name(desk.uniqueToken)).author"] =
                    desk.author.map { [name($0.uniqueToken)] } ?? []
            }
            for book in try db.items(Book.self) {
                graph["book.author"] = book.author.map { [name($0.uniqueToken)] } ?? []
                graph["book.tags"] = book.tags.ids.map(name)
                graph["book.chapters"] = book.chapters.ids.map(name)
            }
            for tag in try db.items(Tag.self) {
                graph["\(name(tag.uniqueToken)).books"] = tag.books.ids.map(name)
            }
            for chapter in try db.items(Chapter.self) {
                let book: Book? = chapter.related("book")
                graph["\(name(chapter.uniqueToken)).book"] =
                    book.map { [name($0.uniqueToken)] } ?? []
            }
            return graph
        }

        /// The links of a relationship from one item to another.
        func link(
            _ type: String, _ relationship: String, _ source: String, _ target: String,
            _ db: borrowing DataStoreWriter
        ) throws -> DynamicItem {
            let schema = try #require(try db.schemas().first { $0.itemTypeKey == type })
            let links = try #require(
                schema.relationships.first { $0.name == relationship }?.links)
            let ends = try [id(source), id(target)]
            let all = try db.dynamicItems(DataStoreRequest(itemTypeKey: links.typeKey))
            return try #require(
                all.first { link in
                    let found = ["source", "target"].map { name -> ItemID? in
                        guard
                            case .reference(let end)? = try? link.backing.value(forAttribute: name)
                        else { return nil }
                        return end.id
                    }
                    return found == ends
                })
        }

        /// Adds an item with the values of a link, and another id.
        func copy(_ link: DynamicItem, _ db: borrowing DataStoreWriter) throws {
            let type = ItemType(dynamic: link.backing.itemTypeKey)
            let new = try #require(try db.performCreate(type, id: ItemID()))
            for name in link.backing.attributeNames {
                try new.backing.setValue(link.backing.value(forAttribute: name), forAttribute: name)
            }
        }
    }

    /// A way in which a graph is damaged, through calls that do not keep relationships.
    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Parts of the problems, one each, in any order.
        let problems: [String]
        /// The others after the repair, where they differ from those before the damage; `nil` for an item that is gone.
        var changes: [String: [String]?] = [:]
        let apply: @Sendable (Sample, borrowing DataStoreWriter) throws -> Void
    }

    static let damages: [Damage] = [
        Damage(
            testDescription: "an author is gone",
            problems: [
                "“author” of “Book”: 1 item refers to an item that does not exist",
                "“author” of “Desk”: 1 item refers to an item that does not exist",
                "“friends” of “Author”: 2 links relate an item that does not exist",
            ],
            changes: [
                "ann.desk": nil, "ann.friends": nil, "ann.books": nil, "bob.friends": [],
                "book.author": [], "d0.author": [],
            ]
        ) { sample, db in
            _ = try db.performDelete(sample.item(Author.self, "ann", db))
        },
        Damage(
            testDescription: "a partner does not refer back",
            problems: ["“desk” of “Author”: 1 item refers to a partner that does not refer back"]
        ) { sample, db in
            try sample.item(Desk.self, "d0", db).backing.setValue(.null, forAttribute: "author")
        },
        Damage(
            testDescription: "a partner refers to another",
            problems: [
                "“desk” of “Author”: 1 item refers to a partner", "“author” of “Desk”: 1 item",
            ]
        ) { sample, db in
            try sample.item(Author.self, "ann", db).backing.setValue(
                sample.reference("Desk", "d1"), forAttribute: "desk")
        },
        Damage(
            testDescription: "a partner refers to nothing that exists",
            problems: [
                "“desk” of “Author”: 1 item refers to a partner",
                "“author” of “Desk”: 1 item refers to an item that does not exist",
            ]
        ) { sample, db in
            try sample.item(Desk.self, "d0", db).backing.setValue(
                .reference(ItemReference(itemTypeKey: "Author", id: ItemID())),
                forAttribute: "author")
        },
        Damage(
            testDescription: "the side of a pair is lost",
            problems: ["“desk” of “Author”: 1 item refers to an item that does not exist"],
            changes: ["d1.author": nil, "bob.desk": []]
        ) { sample, db in
            _ = try db.performDelete(sample.item(Desk.self, "d1", db))
        },
        Damage(
            testDescription: "a tag is gone",
            problems: ["“tags” of “Book”: 1 link relates an item that does not exist"],
            changes: ["t0.books": nil, "book.tags": ["t2", "t1"]]
        ) { sample, db in
            _ = try db.performDelete(sample.item(Tag.self, "t0", db))
        },
        Damage(
            testDescription: "both ends are gone",
            problems: [
                "“tags” of “Book”: 3 links relate an item that does not exist",
                "“chapters” of “Book”: 3 links relate an item that does not exist",
                "“book” of “Chapter”: 3 items refer to an item that does not exist",
            ],
            changes: [
                "book.author": nil, "book.tags": nil, "book.chapters": nil, "ann.books": [],
                "t0.books": nil, "t1.books": [], "t2.books": [], "c0.book": [], "c1.book": [],
                "c2.book": [],
            ]
        ) { sample, db in
            _ = try db.performDelete(sample.item(Book.self, "book", db))
            _ = try db.performDelete(sample.item(Tag.self, "t0", db))
        },
        Damage(
            testDescription: "a link has no target",
            problems: ["“tags” of “Book”: 1 link relates an item that does not exist"],
            changes: ["t0.books": [], "book.tags": ["t2", "t1"]]
        ) { sample, db in
            try sample.link("Book", "tags", "book", "t0", db).backing.setValue(
                .null, forAttribute: "target")
        },
        Damage(
            testDescription: "a link has another id",
            problems: ["“tags” of “Book”: 1 link has an id that does not follow from the items"]
        ) { sample, db in
            let link = try sample.link("Book", "tags", "book", "t0", db)
            try sample.copy(link, db)
            _ = try db.performDelete(link)
        },
        Damage(
            testDescription: "two links relate a pair",
            problems: ["“tags” of “Book”: 1 link relates items that another link relates"]
        ) { sample, db in
            try sample.copy(sample.link("Book", "tags", "book", "t0", db), db)
        },
        Damage(
            testDescription: "a friend is none in the other direction",
            problems: ["“friends” of “Author”: 1 link has no link in the other direction"]
        ) { sample, db in
            _ = try db.performDelete(sample.link("Author", "friends", "ann", "bob", db))
        },
        Damage(
            testDescription: "a link has no place",
            problems: ["“tags” of “Book”: 1 link has no valid place in the order"],
            changes: ["book.tags": ["t0", "t1", "t2"]]
        ) { sample, db in
            try sample.link("Book", "tags", "book", "t2", db).backing.setValue(
                .null, forAttribute: "position")
        },
        Damage(
            testDescription: "a chapter has no place",
            problems: ["“book” of “Chapter”: 1 item has no place in the order"],
            changes: ["book.chapters": ["c0", "c1", "c2"]]
        ) { sample, db in
            _ = try db.performDelete(sample.link("Book", "chapters", "book", "c2", db))
        },
        Damage(
            testDescription: "a place has no chapter",
            problems: ["“chapters” of “Book”: 1 link relates an item that does not exist"],
            changes: ["c0.book": nil, "book.chapters": ["c2", "c1"]]
        ) { sample, db in
            _ = try db.performDelete(sample.item(Chapter.self, "c0", db))
        },
        Damage(
            testDescription: "many at once",
            problems: [
                "“tags” of “Book”: 1 link has an id", "“tags” of “Book”: 1 link relates an item",
                "“friends” of “Author”: 1 link has an id",
                "“friends” of “Author”: 1 link has no link",
            ],
            changes: ["book.tags": ["t1", "t0"], "t2.books": nil]
        ) { sample, db in
            for (type, name, source, target) in [
                ("Book", "tags", "book", "t0"), ("Author", "friends", "ann", "bob"),
            ] {
                let link = try sample.link(type, name, source, target, db)
                if type == "Book" { try link.backing.setValue(.null, forAttribute: "position") }
                try sample.copy(link, db)
                _ = try db.performDelete(link)
            }
            _ = try db.performDelete(sample.item(Tag.self, "t2", db))
        },
    ]

    @Test(arguments: Backend.ofRecords, damages)
    func whatDoesNotAgreeIsFoundAndRepaired(_ backend: Backend, _ damage: Damage) throws {
        try backend.withStore { store in
            let sample = try store.write { db in try Sample(filling: db) }
            var wanted = try store.read { db in try sample.graph(db) }
            #expect(wanted["book.tags"] == ["t2", "t0", "t1"])
            #expect(wanted["book.chapters"] == ["c2", "c0", "c1"])
            try expectSound(store)
            try store.write { db in try damage.apply(sample, db) }
            let problems = try store.verify().problems
            #expect(problems.count == damage.problems.count, "\(problems.map(\.message))")
            for text in damage.problems {
                #expect(
                    problems.filter { $0.message.hasPrefix(text) }.count == 1,
                    "\(text) in \(problems.map(\.message))")
            }
            #expect(problems.allSatisfy { $0.code == .corrupted && $0.itemType != nil })
            let report = try store.repair()
            #expect(report.remaining.isEmpty, "\(report.remaining.map(\.message))")
            #expect(Set(report.repaired.map(\.message)) == Set(problems.map(\.message)))
            try expectSound(store)
            for (key, others) in damage.changes { wanted[key] = others }
            try #expect(store.read { db in try sample.graph(db) } == wanted)
            let again = try store.repair()
            #expect(again.repaired.isEmpty && again.remaining.isEmpty)
        }
    }

    /// Items are looked up in batches, and repaired in blocks.
    @Test func thousandsOfFaultsAreRepaired() throws {
        try Backend.memory.withStore { store in
            let count = 13_000
            try store.write { db in
                let author = try db.create(Author.self)
                for _ in 0..<count { try db.create(Book.self).author = author }
                _ = try db.performDelete(author)
            }
            let problems = try store.verify().problems
            #expect(problems.count == 1)
            #expect(problems.first?.message.contains("\(count) items refer") == true)
            #expect(problems.first?.message.contains(", …)") == true)
            try #expect(store.repair().remaining.isEmpty)
            try store.read { db in
                try #expect(
                    db.count(Book.self, where: DataStorePredicate("author == nil")) == count)
            }
        }
    }

    @Test(arguments: Backend.ofRecords)
    func anUndamagedGraphHasNothingToRepair(_ backend: Backend) throws {
        try backend.withStore { store in
            let sample = try store.write { db in try Sample(filling: db) }
            let graph = try store.read { db in try sample.graph(db) }
            let report = try store.repair()
            #expect(report.repaired.isEmpty && report.remaining.isEmpty)
            try #expect(store.read { db in try sample.graph(db) } == graph)
        }
    }

    @Test func onlyAStoreWithRelationshipsIsExaminedForThem() throws {
        try Backend.memory.withStore { store in
            func steps() throws -> Set<MaintenanceProgress.Step> {
                var steps: Set<MaintenanceProgress.Step> = []
                _ = try store.verify { steps.insert($0.step) }
                return steps
            }
            try store.fill(["a", "b"])
            try #expect(!steps().contains(.relationships))
            try store.write { db in _ = try Sample(filling: db) }
            try #expect(steps().contains(.relationships))
        }
    }

    @Test func aRepairEndsWithItsProgress() throws {
        struct Enough: Error {}
        try Backend.memory.withStore { store in
            let sample = try store.write { db in
                let sample = try Sample(filling: db)
                _ = try db.performDelete(sample.item(Tag.self, "t0", db))
                return sample
            }
            #expect(throws: Enough.self) {
                _ = try store.repair { if $0.step == .relationships { throw Enough() } }
            }
            try #expect(!store.verify().problems.isEmpty)
            try #expect(store.repair().remaining.isEmpty)
            try #expect(
                store.read { db in try sample.graph(db) }["book.tags"] == ["t2", "t1"])
        }
    }

    // MARK: Rules

    private final class Leaf: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Leaf", attributes: [],
            relationships: [RelationshipSchema("cabinet", to: Library.Cabinet.self, minimum: 1)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    @Test(arguments: Backend.ofRecords)
    func anItemWithTooFewOthersIsListedAfterTheRepair(_ backend: Backend) throws {
        try backend.withStore { store in
            let leaf = try store.write { db in
                let (cabinet, leaf) = (
                    try db.create(Library.Cabinet.self), try db.create(Leaf.self)
                )
                leaf.setRelated("cabinet", to: cabinet)
                return leaf.uniqueToken
            }
            try store.write { db in
                _ = try db.performDelete(try #require(try db.first(Library.Cabinet.self)))
            }
            let report = try store.repair()
            #expect(report.remaining.map(\.code) == [.validationFailed])
            let message = report.remaining.first?.message ?? ""
            #expect(message.contains("Leaf \(leaf): it has 0 “cabinet”"), "\(message)")
            try expectSound(store)
        }
    }

    // MARK: Later releases

    /// A closed store with a sample whose tag `t0` was deleted without its link.
    private func storeWithLostEnd() throws -> (SortedArrayEngine, RecordStore<SortedArrayEngine>) {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.write { db in
            let sample = try Sample(filling: db)
            _ = try db.performDelete(sample.item(Tag.self, "t0", db))
        }
        try store.close()
        return (engine, store)
    }

    private func records(_ engine: SortedArrayEngine) -> [[UInt8]] {
        engine.entries.filter { $0.key[0] == StoredBytes.recordTag }.map(\.value)
    }

    @Test(arguments: ["Book", "Tag", "Book.tags"])
    func linksOfATypeThatALaterReleaseHasChangedAreKept(_ type: String) throws {
        let (engine, store) = try storeWithLostEnd()
        var entries = engine.entries
        let name = Array(type.utf8)
        let index = try #require(
            entries.firstIndex {
                $0.key[0] == StoredBytes.catalogTag && $0.value[16] == UInt8(name.count)
                    && Array($0.value[18..<(18 + name.count)]) == name
            })
        // An unknown field that forbids to write.
        entries[index].value += [0x7F, 5] + Array("later".utf8)
        Checksum.correct(&entries[index])
        engine.entries = entries
        let before = records(engine)
        try store.open()
        try #expect(store.verify().problems.isEmpty)
        let report = try store.repair()
        #expect(report.repaired.isEmpty && report.remaining.isEmpty)
        #expect(records(engine) == before)
        try store.close()
    }

    @Test func aLinkInTheFormOfALaterReleaseIsKept() throws {
        let (engine, store) = try storeWithLostEnd()
        try store.open()
        let lost = try #require(try store.verify().problems.first)
        try store.close()
        // The problem names the link by its id.
        var entries = engine.entries
        let index = try #require(
            entries.firstIndex { entry in
                guard entry.key[0] == StoredBytes.recordTag else { return false }
                let hex = entry.key.suffix(16).map { String(format: "%02x", $0) }.joined()
                return lost.message.replacing("-", with: "").contains(hex)
            })
        entries[index].value[8] = 2
        Checksum.correct(&entries[index])
        // An entry that only a later release can read.
        var later: (key: [UInt8], value: [UInt8]) = (
            [StoredBytes.linkTag, 1, 2, 3], [UInt8](repeating: 7, count: 16)
        )
        Checksum.correct(&later)
        let end = entries.firstIndex { $0.key[0] > StoredBytes.linkTag } ?? entries.endIndex
        entries.insert(later, at: end)
        engine.entries = entries
        try store.open()
        try #expect(store.verify().problems.map(\.code) == [.newerFormat])
        let report = try store.repair()
        #expect(report.repaired.isEmpty && report.remaining.map(\.code) == [.newerFormat])
        #expect(engine.entries.contains { $0.value == entries[index].value })
        #expect(engine.entries.contains { $0.key == later.key && $0.value == later.value })
        try store.close()
    }

    // MARK: Random damage

    @Test(arguments: Backend.ofRecords)
    func aRandomlyDamagedGraphIsSoundAfterARepair(_ backend: Backend) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<(backend == .memory ? 12 : 3) {
            try backend.withStore { store in
                try store.write { db in
                    var graph = Graph()
                    for _ in 0..<150 { try graph.step(db, &random) }
                }
                try store.write { db in
                    var items: [DynamicItem] = []
                    for schema in try db.schemas() {
                        items += try db.dynamicItems(
                            DataStoreRequest(itemTypeKey: schema.itemTypeKey))
                    }
                    for _ in 0..<20 {
                        guard let item = items.randomElement(using: &random) else { return }
                        guard let live = try db.performMutableVersion(of: item) else { continue }
                        if Int.random(in: 0..<3, using: &random) == 0 {
                            _ = try db.performDelete(live)
                            continue
                        }
                        // Exchanges or removes the references of two items of a type.
                        let other = items.filter {
                            $0.backing.itemTypeKey == item.backing.itemTypeKey
                        }.randomElement(using: &random)
                        guard let other, try db.performMutableVersion(of: other) != nil else {
                            continue
                        }
                        for name in live.backing.attributeNames where name != "name" {
                            let value = try other.backing.value(forAttribute: name)
                            if Bool.random(using: &random) {
                                try live.backing.setValue(value, forAttribute: name)
                            } else if Bool.random(using: &random) {
                                try live.backing.setValue(.null, forAttribute: name)
                            }
                        }
                    }
                }
                let before = try store.verify().problems
                let report = try store.repair()
                #expect(report.repaired.count == before.count, "seed \(seed)")
                #expect(
                    report.remaining.isEmpty, "seed \(seed): \(report.remaining.map(\.message))")
            }
        }
    }

    // MARK: Merging

    @Test(arguments: Backend.ofRecords, [MergePolicy.childWins, .parentWins])
    func aMergeLeavesNoPlaceOfAnItemThatMovedTwice(
        _ backend: Backend, _ policy: MergePolicy
    ) throws {
        try backend.withStore { store in
            let (books, chapter) = try store.write { db in
                let books = try (0..<3).map { _ in try db.create(Book.self) }
                let chapter = try db.create(Chapter.self)
                books[0].chapters.insert(chapter)
                return (books.map(\.uniqueToken), chapter.uniqueToken)
            }
            let child = try store.makeChild()
            try child.open()
            func move(_ store: any DataStore, to book: Int) throws {
                try store.write { db in
                    let chapter = try #require(try db.item(Chapter.self, id: chapter))
                    try #require(try db.item(Book.self, id: books[book])).chapters.insert(chapter)
                }
            }
            try move(child, to: 1)
            try move(store, to: 2)
            _ = try store.merge(child, policy: policy)
            try child.close()
            try expectSound(store)
            // A place that was left would now have no book.
            try store.write { db in
                for book in books { try db.delete(Book.self, id: book) }
            }
            try expectSound(store)
        }
    }

    /// A type with links to others that do not know of it.
    private final class Page: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Page", attributes: [],
            relationships: [RelationshipSchema("labels", to: Tag.self, isToMany: true)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    @Test(arguments: Backend.ofRecords)
    func aMergeLeavesNoLinkOfADeletedItem(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let page = try db.create(Page.self)
                page.related(toMany: "labels").insert(try db.create(Tag.self))
                let book = try db.create(Book.self)
                book.chapters.insert(try db.create(Chapter.self))
            }
            let child = try store.makeChild()
            try child.open()
            try child.write { db in
                try db.deleteAll(Page.self)
                try db.deleteAll(Book.self)
            }
            try store.write { db in
                let page = try #require(try db.first(Page.self))
                page.related(toMany: "labels").insert(try db.create(Tag.self))
                let book = try #require(try db.first(Book.self))
                book.chapters.insert(try db.create(Chapter.self))
            }
            _ = try store.merge(child, policy: .childWins)
            try child.close()
            try expectSound(store)
        }
    }

    /// An item that is related to itself by a rule of no action.
    private final class Loop: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Loop", attributes: [],
            relationships: [
                RelationshipSchema("loops", to: Loop.self, isToMany: true, deleteRule: .noAction)
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    @Test(arguments: Backend.ofRecords)
    func theLinkOfAnItemToItselfIsDeletedWithIt(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let loop = try db.create(Loop.self)
                loop.related(toMany: "loops").insert(loop)
                try db.delete(loop)
            }
            try expectSound(store)
        }
    }

    @Test(arguments: Backend.persistent)
    func thePlaceOfADamagedItemIsDeletedWithIt(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let chapter = try store.write { db in
                let (book, chapter) = (try db.create(Book.self), try db.create(Chapter.self))
                book.chapters.insert(chapter)
                return chapter.uniqueToken
            }
            try store.close()
            try StoredBytes(backend, at: directory).damageRecord(of: chapter)
            try store.open()
            // A damaged item exists: its place is no problem.
            try #expect(store.verify().problems.allSatisfy { $0.itemType == "Chapter" })
            try store.write { db in try #expect(db.delete(Chapter.self, id: chapter)) }
            try expectSound(store)
            try store.close()
        }
    }

    // MARK: Salvage

    @Test(arguments: Backend.persistent)
    func linksAndReferencesOfLostItemsAreLeftBehind(_ backend: Backend) throws {
        try withTemporaryDirectory { home in
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let (place, new) = (home.appending(path: "store"), home.appending(path: "new"))
            let store = backend.make(at: place)
            try store.open()
            let sample = try store.write { db in try Sample(filling: db) }
            var wanted = try store.read { db in try sample.graph(db) }
            try store.close()
            // The records of an author and of a tag are gone from the file.
            let bytes = StoredBytes(backend, at: place)
            let lost = try ["ann", "t0"].map { name in
                try sample.id(name).uuid.uuidString.replacing("-", with: "")
            }
            try bytes.replace(
                bytes.entries(tag: StoredBytes.recordTag).filter { entry in
                    lost.contains(entry.key.suffix(16).map { String(format: "%02X", $0) }.joined())
                }, with: [])
            let report = try backend.make(at: place).salvage(into: new)
            #expect(report.droppedLinks == 3)
            #expect(report.clearedReferences == 2)
            #expect(!report.isComplete)
            #expect(report.remaining.isEmpty, "\(report.remaining.map(\.message))")
            let copy = backend.make(at: new)
            try copy.open()
            try expectSound(copy)
            for key in ["ann.desk", "ann.friends", "ann.books", "t0.books"] { wanted[key] = nil }
            for key in ["bob.friends", "book.author", "d0.author"] { wanted[key] = [] }
            wanted["book.tags"] = ["t2", "t1"]
            try #expect(copy.read { db in try sample.graph(db) } == wanted)
            try copy.read { db in
                for type in report.types {
                    try #expect(
                        db.count(DataStoreRequest(itemTypeKey: type.itemType)) == type.saved,
                        "\(type)")
                }
            }
            try copy.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func aSoundGraphIsSalvagedWhole(_ backend: Backend) throws {
        try withTemporaryDirectory { home in
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let (place, new) = (home.appending(path: "store"), home.appending(path: "new"))
            let store = backend.make(at: place)
            try store.open()
            let sample = try store.write { db in try Sample(filling: db) }
            let wanted = try store.read { db in try sample.graph(db) }
            try store.close()
            let report = try backend.make(at: place).salvage(into: new)
            #expect(report.isComplete && report.droppedLinks == 0 && report.clearedReferences == 0)
            let copy = backend.make(at: new)
            try copy.open()
            try #expect(copy.read { db in try sample.graph(db) } == wanted)
            try copy.close()
        }
    }
}
