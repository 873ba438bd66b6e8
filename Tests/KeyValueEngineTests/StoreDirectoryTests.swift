import Foundation
import JustPersist
import JustPersistRecords
import Testing

@Suite struct StoreDirectoryTests {
    private let temporary: TemporaryDirectory
    private let files = FileManager.default

    init() throws { temporary = try TemporaryDirectory() }

    private func prepare(
        _ url: URL, createIfMissing: Bool = true, readOnly: Bool = false
    ) throws(DataStoreError) -> StoreDirectory {
        try StoreDirectory.prepare(
            at: url, marker: "MARK", engineName: "Sample", createIfMissing: createIfMissing,
            readOnly: readOnly, isLeftover: { $0 == "LOCK" })
    }

    private func code(_ body: () throws(DataStoreError) -> Void) -> DataStoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func missingDirectoryIsMadePrivateWithItsParents() throws {
        let place = temporary.place("a/b/c")
        let directory = try prepare(place)
        #expect(!directory.holdsStore)
        #expect(try TemporaryDirectory.permissions(of: place) == 0o700)
        #expect((directory.freeSpace ?? 0) > 0)
    }

    @Test func directoryThatCannotBeMadeIsAnErrorAndTheSearchForAParentEnds() throws {
        let file = temporary.place("file")
        try Data().write(to: file)
        let link = temporary.place("link")
        try files.createSymbolicLink(at: link, withDestinationURL: temporary.place("nowhere"))
        let long = temporary.place(String(repeating: "x", count: 300))
        for (place, expected) in [
            (file, .notAStore), (link, .storeNotFound), (long, .invalidStoreURL),
            (URL(filePath: "/proc/none/at/all"), .storeNotFound),
        ] as [(URL, DataStoreError.Code)] {
            let failure = code { () throws(DataStoreError) in
                _ = try prepare(place.appending(path: "a/b"))
            }
            #expect(failure == expected, "\(place)")
        }
    }

    @Test func missingDirectoryIsNotMadeUnlessAsked() {
        let place = temporary.place("a")
        #expect(
            code { () throws(DataStoreError) in _ = try prepare(place, createIfMissing: false) }
                == .storeNotFound)
        #expect(
            code { () throws(DataStoreError) in _ = try prepare(place, readOnly: true) }
                == .storeNotFound)
        #expect(!files.fileExists(atPath: place.path))
    }

    @Test func emptyDirectoryBecomesPrivate() throws {
        let place = temporary.place("a")
        try files.createDirectory(
            at: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        #expect(
            code { () throws(DataStoreError) in _ = try prepare(place, createIfMissing: false) }
                == .storeNotFound)
        #expect(try TemporaryDirectory.permissions(of: place) == 0o755)
        #expect(try !prepare(place).holdsStore)
        #expect(try TemporaryDirectory.permissions(of: place) == 0o700)
    }

    @Test func leftoversOfAnUnfinishedStoreCountAsEmpty() throws {
        let place = temporary.place("a")
        _ = try prepare(place)
        try Data().write(to: place.appending(path: "LOCK"))
        #expect(try !prepare(place).holdsStore)
        try Data().write(to: place.appending(path: "MARK"))
        #expect(try prepare(place).holdsStore)
    }

    @Test func foreignFilesAreLeftUntouched() throws {
        let place = temporary.place("a")
        try files.createDirectory(
            at: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        let letter = place.appending(path: "letter.txt")
        try Data("dear".utf8).write(to: letter)
        #expect(code { () throws(DataStoreError) in _ = try prepare(place) } == .notAStore)
        #expect(code { () throws(DataStoreError) in _ = try prepare(letter) } == .notAStore)
        #expect(
            code { () throws(DataStoreError) in _ = try prepare(letter.appending(path: "x")) }
                == .notAStore)
        #expect(try TemporaryDirectory.permissions(of: place) == 0o755)
        #expect(try files.contentsOfDirectory(atPath: place.path) == ["letter.txt"])
    }

    @Test func removedFilesMayBeMissing() throws {
        let directory = try prepare(temporary.place("a"))
        try Data().write(to: directory.url.appending(path: "second"))
        try directory.removeFiles(["first", "second"])
        #expect(try files.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    #if os(Linux)
        /// `FileManager` climbed for ever, until the stack overflowed.
        @Test func searchForAParentEndsWhereNoDirectoryCanBeLookedAt() async {
            let place = temporary.place("a")
            await #expect(processExitsWith: .success) { [path = place.path as String] in
                let place = URL(filePath: path).appending(path: "b")
                var places = [place]
                while places[places.count - 1].path != "/" {
                    places.append(places[places.count - 1].deletingLastPathComponent())
                }
                let failing = try FailingSystemCalls("newfstatat:error=ENOENT", at: places)
                let error = #expect(throws: DataStoreError.self) {
                    try StoreDirectory.prepare(at: place, marker: "MARK", engineName: "Sample")
                }
                failing.end()
                #expect(error?.code == .storeNotFound)
            }
        }

        /// It was taken for an empty one, in which a store is made.
        @Test func directoryThatCannotBeReadIsNoEmptyOne() async {
            let place = temporary.place("a")
            await #expect(processExitsWith: .success) { [path = place.path as String] in
                let place = URL(filePath: path)
                func prepare() throws(DataStoreError) -> StoreDirectory {
                    try StoreDirectory.prepare(at: place, marker: "MARK", engineName: "Sample")
                }
                _ = try prepare()
                try Data().write(to: place.appending(path: "MARK"))
                let failing = try FailingSystemCalls("getdents64:error=EIO", at: place)
                let error = #expect(throws: DataStoreError.self) { try prepare() }
                #expect(error?.code == .storageFailure)
                failing.end()
                #expect(try prepare().holdsStore)
            }
        }
    #endif

    @Test func impossiblePathsAreRefused() throws {
        let web = try #require(URL(string: "https://example.org/store"))
        let null = temporary.url.appending(path: "a\0b")
        let long = temporary.place(String(repeating: "x", count: 300))
        for url in [web, null, long] {
            #expect(code { () throws(DataStoreError) in _ = try prepare(url) } == .invalidStoreURL)
        }
        #expect(try files.contentsOfDirectory(atPath: temporary.url.path).isEmpty)
    }

    @Test func linkLeadsToItsTarget() throws {
        let place = temporary.place("a")
        let target = try prepare(place)
        let link = temporary.place("link")
        try files.createSymbolicLink(at: link, withDestinationURL: place)
        let claim = try OpenStores.claim(target, files: [])
        #expect(
            code { () throws(DataStoreError) in
                _ = try OpenStores.claim(try prepare(link), files: [])
            } == .alreadyOpen)
        claim.release()
        _ = try OpenStores.claim(try prepare(link), files: [])
        try files.removeItem(at: place)
        #expect(code { () throws(DataStoreError) in _ = try prepare(link) } == .storeNotFound)
    }

    @Test func claimEndsWithItsObject() throws {
        let directory = try prepare(temporary.place("a"))
        var claim: OpenStores.Claim? = try OpenStores.claim(directory, files: [])
        #expect(claim?.directory.path == directory.path)
        #expect(
            code { () throws(DataStoreError) in _ = try OpenStores.claim(directory, files: []) }
                == .alreadyOpen)
        claim = nil
        _ = try OpenStores.claim(directory, files: [])
    }

    /// File systems give the number of a deleted directory to the next one that is made.
    @Test func aDeletedDirectoryIsNotTakenForANewOne() throws {
        let place = temporary.place("a")
        let claim = try OpenStores.claim(try prepare(place), files: [])
        try files.removeItem(at: place)
        for number in 0..<100 {
            let next = try prepare(temporary.place("next \(number)"))
            let failure = code { () throws(DataStoreError) in
                try OpenStores.claim(next, files: []).release()
            }
            #expect(failure == nil, "directory \(number)")
        }
        claim.release()
    }

    /// As an engine does that commits by writing a new file and renaming it.
    @Test func aReplacedFileIsNotTakenForANewOne() throws {
        let directory = try prepare(temporary.place("a"))
        let file = directory.url.appending(path: "data")
        try Data().write(to: file)
        let claim = try OpenStores.claim(directory, files: ["data"])
        for number in 0..<20 {
            try Data([UInt8(number)]).write(to: file, options: .atomic)
            let other = try prepare(temporary.place("other \(number)"))
            try Data().write(to: other.url.appending(path: "data"))
            let failure = code { () throws(DataStoreError) in
                try OpenStores.claim(other, files: ["data"]).release()
            }
            #expect(failure == nil, "store \(number)")
            #expect(
                code { () throws(DataStoreError) in
                    _ = try OpenStores.claim(directory, files: ["data"])
                } == .alreadyOpen)
        }
        claim.release()
    }

    @Test func hardLinkOfAFileIsTheSameStore() throws {
        let directory = try prepare(temporary.place("a"))
        let claim = try OpenStores.claim(directory, files: ["MARK"])
        let mark = directory.url.appending(path: "MARK")
        try Data().write(to: mark)
        try claim.add(files: ["MARK", "absent"])

        let other = try prepare(temporary.place("b"))
        try files.linkItem(at: mark, to: other.url.appending(path: "MARK"))
        #expect(
            code { () throws(DataStoreError) in _ = try OpenStores.claim(other, files: ["MARK"]) }
                == .alreadyOpen)
        let second = try OpenStores.claim(other, files: [])
        #expect(
            code { () throws(DataStoreError) in try second.add(files: ["MARK"]) } == .alreadyOpen)
        claim.release()
        try second.add(files: ["MARK"])
    }

    #if os(Linux)
        /// The claim was given up as if the file had been replaced, and the store could be opened twice.
        @Test func claimOutlivesAFileThatCannotBeLookedAt() async throws {
            let place = temporary.place("a")
            let other = temporary.place("b")
            await #expect(processExitsWith: .success) {
                [place = place.path as String, other = other.path as String] in
                func claim(_ path: String) throws(DataStoreError) -> OpenStores.Claim {
                    let directory = try StoreDirectory.prepare(
                        at: URL(filePath: path), marker: "MARK", engineName: "Sample")
                    return try OpenStores.claim(directory, files: ["MARK"])
                }
                _ = try claim(place)
                let mark = URL(filePath: place).appending(path: "MARK")
                try Data().write(to: mark)
                _ = try claim(other)
                try FileManager.default.linkItem(
                    at: mark, to: URL(filePath: other).appending(path: "MARK"))
                let held = try claim(place)
                for _ in 0..<2 {
                    let failing = try FailingSystemCalls(
                        "newfstatat,statx,lstat:error=EIO", at: mark)
                    #expect(throws: DataStoreError.self) { try claim(other) }
                    failing.end()
                    let error = #expect(throws: DataStoreError.self) { try claim(other) }
                    #expect(error?.code == .alreadyOpen)
                }
                try FileManager.default.removeItem(at: mark)
                _ = try claim(other)
                held.release()
            }
        }
    #endif

    @Test(.enabled(if: geteuid() != 0, "root may read and write everything"))
    func forbiddenDirectoryIsRefused() throws {
        let place = temporary.place("a")
        _ = try prepare(place)
        try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: place.path)
        defer { try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.path) }
        #expect(code { () throws(DataStoreError) in _ = try prepare(place) } == .accessDenied)
        #expect(
            code { () throws(DataStoreError) in _ = try prepare(URL(filePath: "/root/x")) }
                == .accessDenied)
    }
}
