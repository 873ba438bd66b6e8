import Foundation
import JustPersist
import Testing

@Suite struct LimitCheckTests {
    private let limits = DataStoreLimits(nameBytes: 4, valueBytes: 10, writeBlockBytes: 100)

    private func code(_ body: () throws(DataStoreError) -> Void) -> DataStoreError.Code? {
        do throws(DataStoreError) { try body() } catch { return error.code }
        return nil
    }

    @Test(arguments: [
        ("", DataStoreError.Code.invalidName), ("abcd", nil), ("abcde", .limitExceeded),
        ("éé", nil), ("ééé", .limitExceeded),
    ])
    func namesAreCountedInBytes(_ name: String, _ expected: DataStoreError.Code?) {
        #expect(code { () throws(DataStoreError) in try limits.check(typeName: name) } == expected)
        #expect(
            code { () throws(DataStoreError) in
                try limits.check(attributeName: name, of: "T")
            } == expected)
    }

    @Test func attributesHaveNoDots() {
        #expect(
            code { () throws(DataStoreError) in try limits.check(attributeName: "a.b", of: "T") }
                == .invalidName)
        #expect(code { () throws(DataStoreError) in try limits.check(typeName: "a.b") } == nil)
    }

    @Test func valuesAreCountedInBytes() throws {
        try #expect(limits.check(.string("0123456789"), for: "a", of: "T") == 10)
        try #expect(limits.check(.double(1), for: "a", of: "T") == 8)
        #expect(throws: DataStoreError.self) {
            try limits.check(.data(Data(count: 11)), for: "a", of: "T")
        }
        var deep = DataStoreValue.null
        for _ in 0...DataStoreValue.depthLimit { deep = .array([deep]) }
        #expect(
            code { () throws(DataStoreError) in
                try DataStoreLimits.contract.check(deep, for: "a", of: "T")
            } == .limitExceeded)
    }
}
