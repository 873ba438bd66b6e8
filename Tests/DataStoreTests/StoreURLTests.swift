import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import Testing

/// What a store's URL says: the place and the options.
@Suite struct StoreURLTests {
    init() {
        LMDBDataStore.register()
        LevelDBDataStore.register()
        InMemoryDataStore.register()
    }

    @Test(arguments: ["lmdb", "leveldb"]) func optionsAreHeeded(_ scheme: String) throws {
        try withTemporaryDirectory { directory in
            let url = "\(scheme):\(directory.path)"
            expectError(.storeNotFound) { _ = try DataStores.open(url + "?create=no") }
            expectError(.storeNotFound) { _ = try DataStores.open(url + "?readOnly=1&create=0") }
            let store = try DataStores.open(url + "?durability=relaxed&threading=callingThread")
            #expect(store.capabilities.persistence == .processCrash)
            try store.fill(["a"])
            try store.close()
            let reader = try DataStores.open(
                url + "?readOnly=true", options: DataStoreOptions(durability: .full))
            #expect(reader.capabilities.isReadOnly)
            expectError(.readOnly) { try reader.fill(["b"]) }
            try #expect(reader.names() == ["a"])
            try reader.close()
            // Code that only reads is not made to write by a URL.
            let second = try DataStores.open(
                url + "?readOnly=0", options: DataStoreOptions(isReadOnly: true))
            #expect(second.capabilities.isReadOnly)
            try second.close()
            let names = try FileManager.default.contentsOfDirectory(
                atPath: directory.deletingLastPathComponent().path)
            #expect(!names.contains { $0.hasPrefix(directory.lastPathComponent + "?") })
        }
    }

    @Test func enginesGetTheirOwnOptions() throws {
        let lmdb = try #require(
            try DataStores.make("lmdb:/nowhere?mapSize=64GiB&readers=7&changeLog=10,1MiB")
                as? LMDBDataStore)
        #expect(
            lmdb.engine.configuration
                == LMDBConfiguration(
                    maximumSize: 64 << 30, maximumReaders: 7,
                    changeLog: ChangeLogLength(commits: 10, bytes: 1 << 20)))
        let leveldb = try #require(
            try DataStores.make(
                "leveldb:/nowhere?cacheSize=1GB&writeBufferSize=65536&openFiles=64&compression=snappy&changeLog=off"
            )
                as? LevelDBDataStore)
        #expect(
            leveldb.engine.configuration
                == LevelDBConfiguration(
                    writeBufferSize: 65536, blockCacheSize: 1_000_000_000, maximumOpenFiles: 64,
                    compression: .snappy, changeLog: .off))
        let memory = try DataStores.make("memory:?threading=mainThread")
        #expect(memory.capabilities.threading == .mainThread)
        // What is not given stays as the code has it.
        let options = DataStoreOptions(durability: .relaxed)
        let kept = try #require(
            try DataStores.make("lmdb:/nowhere?mapSize=1MiB", options: options) as? LMDBDataStore)
        #expect(kept.engine.configuration.durability == .relaxed)
    }

    /// The examples and the defaults in the documents are values that the options take.
    @Test(arguments: ["lmdb", "leveldb", "memory"])
    func whatIsDocumentedIsTaken(_ scheme: String) throws {
        let options = DataStores.options(ofScheme: scheme)
        #expect(Set(options.map(\.name)).count == options.count && !options.isEmpty)
        let place = scheme == "memory" ? "memory:" : "\(scheme):/nowhere"
        for option in options {
            for value in [option.example, option.defaultValue ?? option.example] {
                _ = try DataStores.make("\(place)?\(option.name)=\(value)")
            }
            for wrong in ["", " ", "nonsense", "-1", "9999999999999999999999", "1.5", "\u{0}"] {
                let word =
                    wrong.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let error = expectError(.invalidStoreURL) {
                    _ = try DataStores.make("\(place)?\(option.name)=\(word)")
                }
                #expect(error?.message.contains(option.values) == true, "\(option.name)")
            }
        }
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func theArticleListsTheOptions(_ scheme: String) throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let article = try String(
            contentsOf: package.appending(
                path: "Sources/JustPersist/JustPersist.docc/ChoosingABackend.md"), encoding: .utf8)
        for option in DataStores.options(ofScheme: scheme) {
            let standard = option.defaultValue.map { "`\($0)`" } ?? "–"
            let row = "| `\(option.name)` | \(option.meaning) | \(option.values) | \(standard) |"
            #expect(article.contains(row), "\(row)")
        }
    }

    @Test(
        arguments: [
            ("readonly=1", "Did you mean “readOnly”?"), ("Durability=full", "“durability”"),
            ("durabilty=full", "Did you mean “durability”?"), ("mapsize=1GiB", "“mapSize”"),
            ("chnageLog=1", "“changeLog”"), ("cacheSize=1", "no option of a store of “lmdb:”"),
            ("mode=ro", "“mapSize”, “readers”, “readOnly”"), ("mode=ro", "lmdb:///var/lib/what%3F"),
            ("readOnly=1&readOnly=1", "given twice"), ("readOnly", "NAME=VALUE"),
            ("", "NAME=VALUE"), ("=1", "NAME=VALUE"), ("readOnly=1&", "NAME=VALUE"),
            ("readOnly=%zz", "“%25” for a “%”"), ("readOnly=2", "It takes true or false"),
            ("readOnly=", "It takes true or false"), ("durability=some", "full or relaxed"),
            ("mapSize=1KiB", "at least 1MiB"), ("mapSize=64G", "such as 4096, 64KiB"),
            ("mapSize=9999999TiB", "at least 1MiB"), ("readers=0", "from 1 to 1048576"),
            ("readOnly=1?create=1", "cannot be “1?create=1”"),
        ])
    func whatIsNoOptionIsRefusedWithAdvice(_ options: String, _ advice: String) throws {
        try withTemporaryDirectory { directory in
            let error = expectError(.invalidStoreURL) {
                _ = try DataStores.make("lmdb:\(directory.path)?\(options)")
            }
            #expect(error?.message.contains(advice) == true, "\(error?.message ?? "")")
            #expect(!FileManager.default.fileExists(atPath: directory.path))
        }
    }

    @Test func storesInMemoryHaveNoOptionsOfFiles() {
        for option in ["readOnly=1", "durability=full", "create=1", "mapSize=1GiB"] {
            expectError(.invalidStoreURL) { _ = try DataStores.make("memory:?\(option)") }
        }
    }

    @Test func pathsAreTakenAsTheyAreWritten() throws {
        try withTemporaryDirectory { directory in
            for name in ["100%", "a%20b", "a#b", "a b", "a&b=c", "~", "Ünïcode 🧭"] {
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true)
                let path = directory.path + "/" + name
                let store = try DataStores.open("lmdb:\(path)")
                #expect(FileManager.default.fileExists(atPath: path))
                try store.close()
            }
        }
    }

    @Test func pathsBehindTwoSlashesAreDecoded() throws {
        try withTemporaryDirectory { directory in
            for (written, name) in [
                ("what%3F", "what?"), ("100%25", "100%"), ("a%20b", "a b"), ("%C3%9C", "Ü"),
            ] {
                for host in ["", "localhost", "LOCALHOST"] {
                    let store = try DataStores.open(
                        "lmdb://\(host)\(directory.path)/\(written)?durability=relaxed")
                    try store.close()
                }
                #expect(FileManager.default.fileExists(atPath: directory.path + "/" + name))
            }
        }
        for wrong in ["lmdb://", "lmdb://localhost", "lmdb:", "lmdb:///a%zz", "lmdb:///%ff"] {
            expectError(.invalidStoreURL) { _ = try DataStores.make(wrong) }
        }
        let error = expectError(.invalidStoreURL) { _ = try DataStores.make("lmdb://var/lib/app") }
        #expect(error?.message.contains("lmdb:/var/lib/app or lmdb:///var/lib/app") == true)
    }

    @Test func aTildeIsTheHomeDirectory() throws {
        let home = URL(filePath: NSHomeDirectory()).standardizedFileURL.path
        for (location, path) in [
            ("~", home), ("~/", home), ("~/data/app", home + "/data/app"),
            ("/a/~/b", "/a/~/b"),
            ("~else/b", FileManager.default.currentDirectoryPath + "/~else/b"),
            ("./~", FileManager.default.currentDirectoryPath + "/~"),
        ] {
            let url = try StoreDirectory.url(location, scheme: "lmdb")
            #expect(url.standardizedFileURL.path == path, "\(location)")
        }
    }

    /// Every text results in a store or an error.
    @Test func anyTextIsAStoreOrAnError() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "lmdb:", "leveldb:", "memory:", "//", "/", "~", "?", "&", "=", "%", "%3F", "%ff", ":",
            "",
            "readOnly", "mapSize", "changeLog", "cacheSize", "1", "64GiB", ",", "-", "true", "\0",
            "🧭", "e\u{301}", "localhost", "9223372036854775808", " ", "\n", "KiB", "off",
            "\u{202e}",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0..<9, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            do throws(DataStoreError) { _ = try DataStores.make(text) } catch {
                #expect(
                    error.code == .invalidStoreURL || error.code == .storeNotFound,
                    "seed \(seed): \(text)")
            }
        }
    }

    @Test func theEnvironmentNamesAStore() async throws {
        let name = "JP_TEST_\(UUID().uuidString)"
        let unset = expectError(.invalidStoreURL) { _ = try DataStores.open(environment: name) }
        #expect(unset?.message.contains("“\(name)”, which names the store, is not set") == true)
        let empty = expectError(.invalidStoreURL) {
            _ = try DataStores.url(inEnvironment: name, [name: ""])
        }
        #expect(empty?.message.contains("is empty") == true)
        #expect(try DataStores.url(inEnvironment: name, [name: "memory:"]) == "memory:")
        // A variable that is always there, and names no store.
        expectError(.invalidStoreURL) { _ = try DataStores.open(environment: "PATH") }
        await #expect(throws: DataStoreError.self) {
            _ = try await DataStores.openAsync(environment: name)
        }
        try await DataStores.openAsync("memory:").close()
    }

    // MARK: A backend from elsewhere

    private struct Settings: Sendable {
        var host = "localhost"
        var port = 5432
        var isTraced = false
        var buffer = 1 << 20
        var level = Durability.full
    }

    @Test func aBackendFromElsewhereHasOptionsOfItsOwn() throws {
        let seen = Locked<[(String, DataStoreOptions, Settings)]>([])
        DataStores.register(
            scheme: "elsewhere", settings: Settings(),
            options: [
                .text("host", \.host, example: "db", "Where it is."),
                .count("port", \.port, in: 1...65535, "Its port."),
                .flag("trace", \.isTraced, "Whether it is traced."),
                .size("buffer", \.buffer, atLeast: 1024, "Memory."),
                .choice("durability", \.level, "In place of the common one."),
            ], common: [.readOnly, .durability]
        ) { location, options, settings throws(DataStoreError) in
            seen.withLock { $0.append((location, options, settings)) }
            return InMemoryDataStore()
        }
        _ = try DataStores.make(
            "elsewhere:?host=a%26b%3D%20c&port=80&trace=yes&buffer=2KiB&durability=relaxed&readOnly=1"
        )
        _ = try DataStores.make("elsewhere://user@db/name")
        let calls = seen.withLock { $0 }
        #expect(calls.map(\.0) == ["", "//user@db/name"])
        let settings = try #require(calls.first?.2)
        #expect(settings.host == "a&b= c" && settings.port == 80 && settings.isTraced)
        #expect(settings.buffer == 2048 && settings.level == .relaxed)
        #expect(calls.first?.1.isReadOnly == true && calls.first?.1.durability == .full)
        #expect(calls.last?.2.port == 5432)
        let error = expectError(.invalidStoreURL) { _ = try DataStores.make("elsewhere:?ports=80") }
        #expect(error?.message.contains("Did you mean “port”?") == true)
        expectError(.invalidStoreURL) { _ = try DataStores.make("elsewhere:?create=1") }
        let options = DataStores.options(ofScheme: "elsewhere")
        #expect(
            options.map(\.name) == ["host", "port", "trace", "buffer", "durability", "readOnly"])
        #expect(
            options.map(\.defaultValue) == ["localhost", "5432", "false", "1MiB", "full", "false"])
        #expect(DataStores.options(ofScheme: "nowhere").isEmpty)
    }
}
