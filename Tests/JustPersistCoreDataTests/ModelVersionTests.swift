import Foundation
import JustPersist
import JustPersistCoreData
import Testing

/// A given model is compared with the version with which the store was written.
struct ModelVersionTests {
    private let miniature: Miniature
    private let directory: TemporaryDirectory
    private let hashes = ["Thing": Data([1, 2, 3]), "Tag": Data([4])]

    init() throws {
        var miniature = Miniature(
            [.init("Thing", [.init("age", 200), .init("name", 700)]), .init("Tag")],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZNAME VARCHAR);
            CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            INSERT INTO ZTHING VALUES (1, 1, 1, 5, 'a')
            """)
        miniature.hasModel = false
        miniature.hashes = hashes
        self.miniature = miniature
        directory = try TemporaryDirectory()
    }

    /// A compiled model of two versions with the same columns, of which the current one is the second.
    private func compiled(_ versions: [String: [String: Data]], asXML: Bool) throws -> URL {
        let model = directory.url.appending(path: "App.momd")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        for name in versions.keys {
            try Data(miniature.archive).write(to: model.appending(path: "\(name).mom"))
        }
        var list = Data()
        if asXML {
            let text = versions.map { name, hashes in
                let lines = hashes.map {
                    "<key>\($0)</key>\n<data>\n\($1.base64EncodedString())\n</data>"
                }
                return "<key>\(name)</key><dict>\(lines.joined(separator: "\n"))</dict>"
            }
            list = Data(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0"><dict>
                <key>NSManagedObjectModel_CurrentVersionName</key><string>App 2</string>
                <key>NSManagedObjectModel_VersionHashes</key><dict>\(text.joined())</dict></dict></plist>
                """.utf8)
        } else {
            list = Data(
                PropertyList.dictionary([
                    ("NSManagedObjectModel_CurrentVersionName", .string("App 2")),
                    (
                        "NSManagedObjectModel_VersionHashes",
                        .dictionary(
                            versions.map { name, hashes in
                                (name, .dictionary(hashes.map { ($0, .data($1)) }))
                            })
                    ),
                ]).bytes)
        }
        try list.write(to: model.appending(path: "VersionInfo.plist"))
        return model
    }

    @Test(arguments: [false, true]) func theVersionWithItsHashesIsChosen(asXML: Bool) throws {
        let file = try miniature.write(into: directory)
        let other = ["Thing": Data([9]), "Tag": Data([4])]
        let model = try compiled(["App": hashes, "App 2": other], asXML: asXML)
        let report = try CoreDataImport(file, model: model).examine()
        #expect(report.model == "“App”" && report.notes.isEmpty)
    }

    @Test(arguments: [false, true]) func aModelWithOtherHashesIsRefused(asXML: Bool) throws {
        let file = try miniature.write(into: directory)
        let other = ["Thing": Data([9]), "Tag": Data([4])]
        let model = try compiled(["App 2": other], asXML: asXML)
        let error = try #require(throws: DataStoreError.self) {
            try CoreDataImport(file, model: model).examine()
        }
        #expect(error.code == .invalidInput && error.message.contains("“Thing”"))
        #expect(!error.message.contains("“Tag”"))
    }

    @Test func theModelOfAStoreIsComparedWithAGivenOne() throws {
        var miniature = miniature
        miniature.hasModel = true
        let file = try miniature.write(into: directory)
        let other = ["Thing": Data([9]), "Tag": Data([4])]
        let model = try compiled(["App 2": other], asXML: false)
        let report = try CoreDataImport(file, model: model).examine()
        let note = try #require(report.notes.first)
        #expect(note.text.contains("not used") && note.text.contains("“Thing”"))
    }

    private func source(_ age: String, _ other: String? = nil) throws -> URL {
        let model = directory.url.appending(path: "App.xcdatamodeld")
        for (name, age) in [("App", age), ("App 2", other)] {
            guard let age else { continue }
            let version = model.appending(path: "\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data(
                """
                <model><entity name="Thing"><attribute name="age" attributeType="\(age)"/><attribute name="name" attributeType="String"/></entity>
                <entity name="Tag"/></model>
                """.utf8
            ).write(to: version.appending(path: "contents"))
        }
        return model
    }

    @Test func aModelWithoutHashesIsComparedByItsKinds() throws {
        let file = try miniature.write(into: directory)
        let error = try #require(throws: DataStoreError.self) {
            try CoreDataImport(file, model: try source("Date")).examine()
        }
        #expect(error.message.contains("“age” of “Thing”") && error.message.contains("INTEGER"))
        let report = try CoreDataImport(file, model: try source("Integer 16", "Boolean")).examine()
        // Nothing shows that it is the right one.
        #expect(report.notes.contains { $0.text.contains("version") })
        #expect(report.model == "“App”")
        #expect(report.notes.contains { $0.text.contains("App 2") })
    }
}
