import Foundation
import Testing

@Suite struct ScaffoldWritingTests {
    @Test func aWrapperAndItsTestAreWritten() throws {
        let package = try TemporaryPackage()
        let output = try Scaffold.make("Realm").write(into: package.outline())
        #expect(
            package.files == [
                "Sources/JustPersistRealm/RealmDataStore.swift",
                "Sources/JustPersistRealm/RealmEngine.swift",
                "Sources/JustPersistRealm/RealmTransaction.swift",
                "Tests/JustPersistRealmTests/RealmConformanceTests.swift",
            ])
        for file in package.files { #expect(output.contains("  \(file)\n")) }
    }

    @Test func anEngineAndItsTestAreWritten() throws {
        let package = try TemporaryPackage()
        _ = try Scaffold.make("Rocks", "--engine").write(into: package.outline())
        #expect(
            package.files == [
                "Sources/JustPersistRocks/RocksDataStore.swift",
                "Sources/JustPersistRocks/RocksEngine.swift",
                "Sources/JustPersistRocks/RocksTransaction.swift",
                "Tests/JustPersistRocksTests/RocksConformanceTests.swift",
            ])
    }

    @Test func anExistingTargetIsFoundWhereverItLies() throws {
        let package = try TemporaryPackage()
        var outline = package.outline()
        outline.targets = [
            PackageOutline.Target(
                name: "App", directory: package.directory.appending(path: "Code"),
                dependencies: ["JustPersist"])
        ]
        _ = try Scaffold.make("Realm", "--target", "App").write(into: outline)
        #expect(package.files.contains("Code/RealmDataStore.swift"))
        #expect(package.files.contains("Tests/AppTests/RealmConformanceTests.swift"))
        #expect(
            try package.text(of: "Tests/AppTests/RealmConformanceTests.swift")
                .contains("import App\n"))
    }

    @Test func nothingIsWrittenOverAFileThatExists() throws {
        let package = try TemporaryPackage()
        let path = "Sources/JustPersistRealm/RealmEngine.swift"
        try package.write("mine", to: path)
        let error = #expect(throws: ScaffoldError.self) {
            try Scaffold.make("Realm").write(into: package.outline())
        }
        #expect(error?.description.contains(path) == true)
        #expect(package.files == [path])
        #expect(try package.text(of: path) == "mine")
    }

    @Test func whenAFileCannotBeWrittenNoneIs() throws {
        let package = try TemporaryPackage()
        try package.write("a file where a folder has to be", to: "Tests.txt")
        var outline = package.outline(["JustPersistRealmTests": []])
        outline.targets[0].directory = package.directory.appending(path: "Tests.txt")
        let error = #expect(throws: ScaffoldError.self) {
            try Scaffold.make("Realm").write(into: outline)
        }
        #expect(error?.description.hasPrefix("Nothing was written") == true)
        #expect(package.files == ["Tests.txt"])
    }

    @Test func aTargetInsideAnotherIsRefused() throws {
        let package = try TemporaryPackage()
        var outline = package.outline(["App": []])
        outline.targets[0].directory = package.directory.appending(path: "Sources")
        let error = #expect(throws: ScaffoldError.self) {
            try Scaffold.make("Realm").write(into: outline)
        }
        #expect(error?.description.contains("--target App") == true)
        #expect(package.files.isEmpty)
    }

    @Test func aModuleOfADependencyIsRefused() throws {
        let package = try TemporaryPackage()
        let error = #expect(throws: ScaffoldError.self) {
            try Scaffold.make("LMDB", "--engine").write(into: package.outline())
        }
        #expect(error?.description.contains("“JustPersistLMDB” already") == true)
        #expect(package.files.isEmpty)
    }
}
