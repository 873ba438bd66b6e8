#if os(Linux)
    import Foundation
    import JustPersist
    import Testing

    /// Stores on a medium that cannot be written to.
    @Suite(.enabled(if: ReadOnlyMount.isAvailable, "no file system can be mounted"))
    struct ReadOnlyMediumTests {
        @Test(arguments: Backend.persistent)
        func aStoreOnAReadOnlyMediumIsQueriedVerifiedAndBackedUp(_ backend: Backend) throws {
            try withTemporaryDirectory { home in
                let place = home.appending(path: "store")
                let store = backend.make(at: place)
                try store.open()
                try store.fill((0..<200).map { "r\($0)" })
                // Some of it in tables, and some in the log.
                _ = try store.compact()
                try store.fill(["late"])
                try store.close()
                let files = try Set(FileManager.default.contentsOfDirectory(atPath: place.path))

                let mount = try ReadOnlyMount(of: place)
                defer { mount.end() }
                var options = DataStoreOptions()
                options.isReadOnly = true
                let reader = backend.make(at: place, options: options)
                try reader.open()
                try #expect(reader.read { db in try db.count(Restaurant.self) } == 201)
                try #expect(
                    reader.read { db in
                        try db.count(Restaurant.self, where: DataStorePredicate("name == 'late'"))
                    } == 1)
                try expectSound(reader)
                expectError(.readOnly) { try reader.write { _ in } }
                let backup = home.appending(path: "backup")
                _ = try reader.backUp(to: backup)
                try reader.close()
                try #expect(
                    Set(FileManager.default.contentsOfDirectory(atPath: place.path)) == files)

                let restored = backend.make(at: backup)
                try restored.open()
                try #expect(restored.read { db in try db.count(Restaurant.self) } == 201)
                try expectSound(restored)
                try restored.close()
            }
        }
    }

    /// A directory that is mounted over itself, read-only.
    private struct ReadOnlyMount {
        private let place: URL

        static let isAvailable: Bool = {
            let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: place) }
            guard let mount = try? ReadOnlyMount(of: place) else { return false }
            mount.end()
            return true
        }()

        init(of place: URL) throws {
            self.place = place
            guard Self.run("mount", "--bind", place.path, place.path) else {
                throw POSIXError(.EPERM)
            }
            guard Self.run("mount", "-o", "remount,ro,bind", place.path) else {
                end()
                throw POSIXError(.EPERM)
            }
        }

        func end() { _ = Self.run("umount", "-l", place.path) }

        private static func run(_ arguments: String...) -> Bool {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }
#endif
