import Foundation
import JustPersist
import Testing

@Suite struct ItemIDTests {
    @Test func textAndUUIDRoundTrip() throws {
        let id = ItemID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
        #expect(id.description == "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(ItemID(id.description) == id)
        #expect(ItemID(id.uuid) == id)
        #expect(ItemID("no id") == nil)
        let copy = try JSONDecoder().decode([ItemID].self, from: JSONEncoder().encode([id]))
        #expect(copy == [id])
    }
}
