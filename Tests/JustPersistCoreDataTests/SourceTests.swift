import Foundation
import JustPersist
import JustPersistCoreData
import JustPersistLMDB
import Testing

/// The files of a store, and imports of one store again.
struct SourceTests {
    private static let row = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR"
    private let miniature = Miniature(
        [
            .init(
                "Author", [.init("name", 700)],
                [.init("books", "Book", "author", isToMany: true, isOrdered: true)]),
            .init(
                "Book", [.init("name", 700)],
                [.init("author", "Author", "books"), .init("tags", "Tag", "books", isToMany: true)]),
            .init("Tag", [.init("name", 700)], [.init("books", "Book", "tags", isToMany: true)]),
        ],
        """
        CREATE TABLE ZAUTHOR (\(row)); CREATE TABLE ZTAG (\(row));
        CREATE TABLE ZBOOK (\(row), ZAUTHOR INTEGER, Z_FOK_AUTHOR INTEGER);
        CREATE TABLE Z_2TAGS (Z_2BOOKS INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_2BOOKS, Z_3TAGS));
        CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY); INSERT INTO ACHANGE VALUES (1), (2);
        INSERT INTO ZAUTHOR VALUES (1, 1, 1, 'Ada'), (2, 1, 1, 'Bob');
        INSERT INTO ZBOOK VALUES (1, 2, 1, 'a', 1, 2048), (2, 2, 1, 'b', 1, 1024), (3, 2, 1, 'c', 2, 1024);
        INSERT INTO ZTAG VALUES (1, 3, 1, 'x'), (2, 3, 1, 'y');
        INSERT INTO Z_2TAGS VALUES (1, 1), (1, 2), (2, 1)
        """)

    private func contents(_ directory: TemporaryDirectory) throws -> [String: Data] {
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path).reduce(into: [:]) {
            $0[$1] = try Data(contentsOf: directory.url.appending(path: $1))
        }
    }

    @Test func anImportAgainChangesWhatHasChanged() throws {
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        let target = try LMDBDataStore.open(at: directory.url.appending(path: "target"))
        defer { try? target.close() }
        let settings = CoreDataImport(file)
        let first = try settings.run(into: target)
        #expect(first.entities.map(\.created) == [2, 3, 2])
        #expect(first.leftOut.map(\.name) == ["ACHANGE"] && first.leftOut.map(\.rows) == [2])
        let again = try settings.run(into: target)
        #expect(
            again.entities.map(\.created) == [0, 0, 0]
                && again.entities.map(\.updated) == [0, 0, 0])
        try SQL(file).run(
            """
            UPDATE ZBOOK SET ZNAME = 'B', ZAUTHOR = 2, Z_FOK_AUTHOR = 512 WHERE Z_PK = 2; DELETE FROM ZTAG WHERE Z_PK = 2;
            DELETE FROM Z_2TAGS; INSERT INTO Z_2TAGS VALUES (3, 1); INSERT INTO ZTAG VALUES (3, 3, 1, 'z')
            """)
        let changed = try settings.run(into: target)
        #expect(changed.entities.map(\.created) == [0, 0, 1])
        #expect(changed.entities.map(\.left) == [0, 0, 1])
        #expect(try target.names("books", of: "Author") == ["Ada": ["a"], "Bob": ["B", "c"]])
        #expect(try target.names("tags", of: "Book") == ["a": [], "B": [], "c": ["x"]])
        let last = try settings.run(into: target)
        #expect(
            last.entities.map(\.created) == [0, 0, 0] && last.entities.map(\.updated) == [0, 0, 0])
    }

    @Test func idsFollowFromTheObjects() throws {
        let (store, report) = try miniature.imported { $0.reportsURIs = true }
        let uri = "x-coredata://0E4A7E5C-1C6D-4F0C-9C57-5B7E5D7B6A01/Book/p"
        let uris = try #require(report.uris)
        let (first, second) = (try #require(uris["\(uri)1"]), try #require(uris["\(uri)2"]))
        #expect(uris.count == 7)
        let name = try store.read { db in
            try db.dynamicItem(ItemReference(itemTypeKey: "Book", id: second))?["name"]
        }
        #expect(name == .string("b"))
        // A version 7, before all that are made now, in the order of the keys.
        #expect(second.high == 0x7000 && second.low >> 62 == 2)
        #expect(first < second)
        #expect(second < ItemID())
    }

    @Test(arguments: [false, true])
    func rowsInTheLogAreReadAndTheFilesStayAsTheyAre(_ isLinked: Bool) throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "Model.sqlite")
        let writer = try SQL(file)
        try writer.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try writer.run(miniature.script)
        // As an app leaves them that was killed.
        let left = try TemporaryDirectory()
        for name in ["Model.sqlite", "Model.sqlite-wal"] {
            try FileManager.default.copyItem(
                at: directory.url.appending(path: name), to: left.url.appending(path: name))
        }
        let before = try contents(left)
        var store = left.url.appending(path: "Model.sqlite")
        let links = try TemporaryDirectory()
        if isLinked {
            let link = links.url.appending(path: "Link.sqlite")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store)
            store = link
        }
        #expect(
            try CoreDataImport(store).run(into: try memoryStore()).entities.map(\.rows) == [
                2, 3, 2,
            ])
        #expect(try contents(left) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: links.url.path).count
                == (isLinked ? 1 : 0))
        // Without the log there is nothing.
        try FileManager.default.removeItem(at: left.url.appending(path: "Model.sqlite-wal"))
        #expect(throws: DataStoreError.self) { try CoreDataImport(store).examine() }
    }

    /// SQLite reads the log up to the damage, and says nothing of the transactions that follow.
    @Test func aDamagedLogIsAnErrorAndNotFewerRows() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "Model.sqlite")
        let writer = try SQL(file)
        try writer.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try writer.run(miniature.script)
        let log = directory.url.appending(path: "Model.sqlite-wal")
        let sound = [UInt8](try Data(contentsOf: log))
        let store = directory.url.appending(path: "Copy.sqlite")
        try FileManager.default.copyItem(at: file, to: store)
        let copy = directory.url.appending(path: "Copy.sqlite-wal")
        let frame = 24 + 4096
        let frames = (sound.count - 32) / frame
        try #require(frames > 10 && (sound.count - 32) % frame == 0)
        func rows(_ log: [UInt8]) throws -> [Int] {
            try Data(log).write(to: copy)
            return try CoreDataImport(store).examine().entities.map(\.rows)
        }
        #expect(try rows(sound) == [2, 3, 2])
        // The header; the number, the salt and the sum of a frame, and its page.
        let places =
            [0, 4, 8, 16, 24]
            + [0, frames / 2].flatMap { number in
                [0, 8, 16, 24, frame - 1].map { 32 + number * frame + $0 }
            }
        for place in places {
            var damaged = sound
            damaged[place] ^= 1
            let error = #expect(throws: DataStoreError.self, "\(place)") { try rows(damaged) }
            #expect(
                error?.code == .corrupted && error?.message.contains("-wal” is damaged") == true)
        }
        #expect(throws: DataStoreError.self) {
            try rows(
                [UInt8]("A text in the place of the log, with more bytes than its header.".utf8))
        }
        // Frames of an earlier log, and of a transaction that was not committed, are no damage.
        let last = Array(sound.suffix(frame))
        var earlier = last
        earlier[8] ^= 1
        #expect(try rows(sound + earlier) == [2, 3, 2])
        var uncommitted = last
        for place in 4..<8 { uncommitted[place] = 0 }
        #expect(try rows(sound + uncommitted) == [2, 3, 2])
        // SQLite writes the head of a frame before its page, so the last one may be torn.
        #expect(try rows(sound + last.prefix(24 + 1000)) == [2, 3, 2])
        #expect(
            try rows(sound + last.prefix(24) + [UInt8](repeating: 0, count: 4096)) == [2, 3, 2])
        // An app that ended while the log was new.
        #expect(throws: DataStoreError.self) { try rows([]) }
    }

    @Test func whatIsNoStoreIsRefused() throws {
        let directory = try TemporaryDirectory()
        func error(_ file: URL) -> DataStoreError? {
            #expect(throws: DataStoreError.self) { try CoreDataImport(file).examine() }
        }
        #expect(error(directory.url.appending(path: "absent"))?.code == .invalidInput)
        #expect(error(directory.url)?.code == .invalidInput)
        let text = directory.url.appending(path: "text")
        try Data("This is no database, but a longer text than its header would be.".utf8).write(
            to: text)
        #expect(error(text)?.code == .notAStore)
        let other = directory.url.appending(path: "other")
        try SQL(other).run("CREATE TABLE T (a)")
        #expect(error(other)?.code == .notAStore)
    }

    @Test func anExaminationWritesNothing() throws {
        let directory = try TemporaryDirectory()
        let report = try CoreDataImport(try miniature.write(into: directory)).examine()
        #expect(
            report.entities.map(\.rows) == [2, 3, 2] && report.entities.map(\.created) == [0, 0, 0])
        #expect(report.links.map(\.ends) == [3, 3, 3, 3])
    }

    /// A process that was killed leaves its private copy.
    @Test func copiesOfProcessesThatEndedAreDeleted() throws {
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        let folder = FileManager.default.temporaryDirectory
        let abandoned = folder.appending(path: "justpersist-coredata-\(UUID())")
        let used = folder.appending(path: "justpersist-coredata-\(UUID())")
        defer { try? FileManager.default.removeItem(at: used) }
        for copy in [abandoned, used] {
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
            try Data([1]).write(to: copy.appending(path: "store.sqlite"))
        }
        let lock = unsafe open(used.path, O_RDONLY | O_DIRECTORY)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        _ = try CoreDataImport(file).examine()
        #expect(!FileManager.default.fileExists(atPath: abandoned.path))
        #expect(FileManager.default.fileExists(atPath: used.appending(path: "store.sqlite").path))
    }

    // MARK: Models

    private let xml = """
        <?xml version="1.0"?><model>
        <entity name="Author"><attribute name="name" attributeType="String"/>
        <relationship name="books" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="author"/></entity>
        <entity name="Book"><attribute name="name" optional="YES" attributeType="String" elementID="title"/>
        <relationship name="author" optional="YES" maxCount="1" destinationEntity="Author" inverseName="books"/>
        <relationship name="tags" toMany="YES" destinationEntity="Tag" inverseName="books"/></entity>
        <entity name="Tag"><attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="books" toMany="YES" destinationEntity="Book" inverseName="tags"/></entity></model>
        """

    private func model(_ versions: [String: String], in directory: TemporaryDirectory) throws -> URL
    {
        let model = directory.url.appending(path: "App.xcdatamodeld")
        for (name, text) in versions {
            let version = model.appending(path: "\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: version.appending(path: "contents"))
        }
        return model
    }

    @Test func theVersionThatFitsIsChosen() throws {
        var miniature = miniature
        miniature.hasModel = false
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        #expect(throws: DataStoreError.self) { try CoreDataImport(file).examine() }
        let older = xml.replacing(
            "<entity name=\"Tag\"><attribute name=\"name\"",
            with: "<entity name=\"Tag\"><attribute name=\"label\"")
        let settings = CoreDataImport(
            file, model: try model(["App": xml, "App 2": older], in: directory))
        let store = try memoryStore()
        let report = try settings.run(into: store)
        #expect(report.model == "“App”")
        #expect(try store.names("books", of: "Author") == ["Ada": ["b", "a"], "Bob": ["c"]])
        #expect(try store.schema("Author").relationships.map(\.deleteRule) == [.cascade])
        #expect(
            try store.schema("Book").attributes.first { $0.name == "name" }?.formerNames == [
                "title"
            ])
    }

    @Test func aModelThatDoesNotFitIsRefused() throws {
        var miniature = miniature
        miniature.hasModel = false
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        let wrong = xml.replacing(
            "<attribute name=\"name\" optional", with: "<attribute name=\"label\" optional")
        let settings = CoreDataImport(file, model: try model(["App": wrong], in: directory))
        let error = try #require(throws: DataStoreError.self) { try settings.examine() }
        #expect(error.message.contains("label") && error.message.contains("ZNAME"))
    }

    @Test func aCompiledModelIsRead() throws {
        var miniature = miniature
        miniature.hasModel = false
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        let model = directory.url.appending(path: "App.momd")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(miniature.archive).write(to: model.appending(path: "App.mom"))
        try Data(
            PropertyList.dictionary([("NSManagedObjectModel_CurrentVersionName", .string("App"))])
                .bytes
        )
        .write(to: model.appending(path: "VersionInfo.plist"))
        #expect(try CoreDataImport(file, model: model).examine().links.map(\.ends) == [3, 3, 3, 3])
    }

    @Test func aModelIsGuessedOnDemand() throws {
        var miniature = miniature
        miniature.hasModel = false
        miniature.sql +=
            "; CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR); INSERT INTO ZAUTHOR VALUES (9, 1, 1, 'Eve'); UPDATE ZBOOK SET ZAUTHOR = 9 WHERE Z_PK = 3"
        let (store, report) = try miniature.imported { $0.guessesModel = true }
        #expect(report.model == "guessed")
        #expect(try store.name("author", of: "Book") == ["a": "Ada", "b": "Ada", "c": "Eve"])
        #expect(
            try store.names("tags", of: "Book").mapValues { $0.sorted() } == [
                "a": ["x", "y"], "b": ["x"], "c": [],
            ])
        #expect(report.notes.contains { $0.entity == "Book" && $0.property == "author" })
    }
}
