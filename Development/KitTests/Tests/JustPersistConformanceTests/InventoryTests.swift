import Foundation
import Testing

@testable import JustPersistConformance

struct InventoryTests {
    @Test func idsAreUnique() {
        let ids = Inventory.definitions.map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test func everyCheckSaysWhatItAssertsAndOfWhichClause() {
        for definition in Inventory.definitions {
            #expect(definition.summary.hasSuffix("."), "\(definition.id)")
            #expect(definition.clause.allSatisfy { (1...29).contains($0) }, "\(definition.id)")
            #expect(definition.id.split(separator: "/").count == 2, "\(definition.id)")
        }
    }

    @Test func everyClauseOfTheContractHasACheck() {
        let cited = Set(Inventory.definitions.flatMap(\.clause))
        #expect(Set(1...29).subtracting(cited) == [])
    }

    @Test(arguments: [
        "README.md",
        "Sources/JustPersistConformance/JustPersistConformance.docc/JustPersistConformance.md",
    ])
    func theNumberOfChecksThatATextGivesIsRight(_ path: String) throws {
        let package = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let text = try String(contentsOf: package.appending(path: path), encoding: .utf8)
        let number = try #require(text.firstMatch(of: /about (\d+) checks/)?.output.1)
        #expect(abs(Inventory.definitions.count - (Int(number) ?? 0)) < 25)
    }

    @Test func variantsAreOfTheFullProfile() {
        func ids(_ profile: ConformanceProfile) -> [String] {
            Conformance.checks(
                SoundFixture.self, options: ConformanceOptions(profile: profile), children: nil
            ).map(\.id)
        }
        #expect(ids(.quick).count == Inventory.definitions.count)
        #expect(ids(.full).contains("crud/set-nil-clears@grandchild"))
        #expect(!ids(.full).contains("iso/G0@child"))
        #expect(Set(ids(.full)).count == ids(.full).count)
    }
}
