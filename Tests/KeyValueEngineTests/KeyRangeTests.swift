import JustPersistRecords
import Testing

@Suite struct KeyRangeTests {
    @Test func prefixEndsBehindItsLastKey() {
        #expect(KeyRange(prefix: [1, 2]).upper == [1, 3])
        #expect(KeyRange(prefix: [1, 0xFF]).upper == [2])
        #expect(KeyRange(prefix: [0xFF]).upper == nil)
        #expect(KeyRange(prefix: []) == .all)
    }
}
