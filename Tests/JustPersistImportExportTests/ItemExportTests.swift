import Foundation
import JustPersist
import JustPersistImportExport
import Testing

/// The files that exports write.
@Suite struct ItemExportTests {
    private let directory: TemporaryDirectory
    private let store: any DataStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try memoryStore()
        try store.fill([
            ["a": .int(1), "b": .string("x, \"y\"\nz"), "d": .dictionary(["e": .double(2)])],
            ["a": .int(2), "b": .string("")], ["a": .int(3)],
        ])
    }

    private var request: DataStoreRequest { DataStoreRequest(itemTypeKey: "T") }

    /// What an export writes to a file of that name.
    private func text(_ export: ItemExport, _ name: String) throws -> String {
        let file = directory.url.appending(path: name)
        try export.run(from: store, to: file, replacing: true)
        return try String(contentsOf: file, encoding: .utf8)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
    }

    @Test func theNameTellsTheFormat() throws {
        let rows = [
            #"{"a":1,"b":"x, \"y\"\nz","d":{"e":2.0}}"#, #"{"a":2,"b":""}"#, #"{"a":3}"#,
        ]
        let export = ItemExport(request)
        #expect(try text(export, "r.json") == "[\(rows.joined(separator: ",\n"))]\n")
        for name in ["r.jsonl", "r.ndjson", "R.JSONL"] {
            #expect(try text(export, name) == rows.joined(separator: "\n") + "\n")
        }
        #expect(
            try text(export, "r.csv") == """
                a,b,d
                1,"x, ""y""
                z","{""e"":2.0}"
                2,"",
                3,,

                """)
        #expect(try text(export, "r.tsv").hasPrefix("a\tb\td\n1\t\"x, "))
        let error = #expect(throws: DataStoreError.self) { try text(export, "r.txt") }
        #expect(error?.message.contains("“r.txt” names no format") == true)
        #expect(try text(ItemExport(request, format: .csv), "r.txt").hasPrefix("a,b,d\n"))
        var semicolons = ItemExport(request)
        semicolons.delimiter = ";"
        #expect(try text(semicolons, "r.csv").hasPrefix("a;b;d\n1;\"x, "))
    }

    @Test func theRequestAndTheAttributesCount() throws {
        let request = request
        request.sortDescriptors = [DataStoreSortDescriptor(key: "a", ascending: false)]
        request.limit = 2
        var export = ItemExport(request)
        export.attributes = ["a", "d.e"]
        #expect(try text(export, "r.jsonl") == "{\"a\":3}\n{\"a\":2}\n")
        export.attributes = ["uniqueToken", "a"]
        export.includesIDs = true
        let ids = try store.ids()
        #expect(
            try text(export, "r.csv")
                == "$id,uniqueToken,a\n\(ids[2]),\(ids[2]),3\n\(ids[1]),\(ids[1]),2\n")
        request.limit = 1
        export.attributes = nil
        #expect(try text(export, "r.jsonl") == "{\"$id\":\"\(ids[2])\",\"a\":3}\n")
    }

    @Test func noItemsAreAnEmptyFile() throws {
        let request = request
        request.predicate = .constant(false)
        #expect(try text(ItemExport(request), "r.json") == "[]\n")
        #expect(try text(ItemExport(request), "r.jsonl") == "")
        #expect(try text(ItemExport(request), "r.csv") == "a,b,d\n")
        let unknown = ItemExport(DataStoreRequest(itemTypeKey: "Unknown"))
        #expect(try text(unknown, "r.json") == "[]\n")
    }

    @Test func aFileThatIsThereIsNotReplacedUnasked() throws {
        let file = try directory.file("r.json", Array("mine".utf8))
        let error = #expect(throws: DataStoreError.self) {
            try ItemExport(request).run(from: store, to: file)
        }
        #expect(error?.code == .targetNotEmpty)
        #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
        #expect(try names() == ["r.json"])
        let link = directory.url.appending(path: "link.json")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(try ItemExport(request).run(from: store, to: link, replacing: true) == 3)
        #expect(try names() == ["link.json", "r.json"])
        #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("[{"))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    @Test func anExportThatFailsLeavesNothing() throws {
        struct Enough: Error {}
        try store.fill((0..<2000).map { ["a": .int($0)] })
        let old = try directory.file("old.jsonl", Array("mine".utf8))
        for file in [old, directory.url.appending(path: "new.jsonl.gz")] {
            #expect(throws: Enough.self) {
                try ItemExport(request).run(from: store, to: file, replacing: true) { progress in
                    if progress.items >= 1000 { throw Enough() }
                }
            }
        }
        #expect(try names() == ["old.jsonl"])
        #expect(try String(contentsOf: old, encoding: .utf8) == "mine")
        for file in [directory.url, directory.url.appending(path: "missing/r.json")] {
            #expect(throws: DataStoreError.self) {
                try ItemExport(request, format: .json).run(from: store, to: file, replacing: true)
            }
        }
        #expect(try names() == ["old.jsonl"])
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/null")))
    func aDeviceIsWrittenAndNotReplaced() throws {
        let device = URL(filePath: "/dev/null")
        #expect(try ItemExport(request, format: .json).run(from: store, to: device) == 3)
        let type = try FileManager.default.attributesOfItem(atPath: device.path)[.type]
        #expect(type as? FileAttributeType == .typeCharacterSpecial)
    }

    @Test(.timeLimit(.minutes(5))) func aCancelledTaskWaitedForItsExport() async throws {
        try store.fill((0..<2_000).map { ["a": .int($0)] })
        let directory = directory.url
        let hasBegun = DispatchSemaphore(value: 0)
        let (store, request) = (store, request)
        let task = Task {
            hasBegun.signal()
            while true {
                let file = directory.appending(path: "r.json")
                try ItemExport(request).run(from: store, to: file, replacing: true)
            }
        }
        Thread {
            hasBegun.wait()
            Thread.sleep(forTimeInterval: 0.03)
            task.cancel()
        }.start()
        await #expect(throws: CancellationError.self) { try await task.value }
        // No file that is not complete, whichever round it was.
        #expect(try names().allSatisfy { $0 == "r.json" })
    }
}
