import Foundation
import JustPersist
import Testing

/// The identity of items, and classes that have attributes under the same names.
@Suite struct ItemIdentityTests {
    /// A class with attributes called `id` and `reference`, as imported data has them.
    private final class Booking: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Booking",
            attributes: [
                AttributeSchema("id", kinds: [.uuid], keyPath: \Booking.id),
                AttributeSchema("reference", kinds: [.string], keyPath: \Booking.reference),
            ])

        let backing: any ItemBacking

        init(backing: any ItemBacking) { self.backing = backing }

        var id: UUID? {
            get { optionalAttribute(at: 0) }
            set { setOptionalAttribute(newValue, at: 0) }
        }
        var reference: String? {
            get { optionalAttribute(at: 1) }
            set { setOptionalAttribute(newValue, at: 1) }
        }
    }

    private static func identity<Item: Identifiable>(_ item: Item) -> Item.ID { item.id }

    @Test func idIsTheToken() {
        let meal = Meal()
        #expect(meal.id == meal.uniqueToken)
        let item: any DataStoreItem = meal
        #expect(item.id == meal.uniqueToken)
        let mutable: any MutableDataStoreItem = meal
        #expect(mutable.id == meal.uniqueToken)
        #expect(Self.identity(meal) == meal.uniqueToken)
        #expect(DynamicItem("T", values: ["id": .int(1)]).id != DynamicItem("T").id)
        #expect(item.reference == ItemReference(itemTypeKey: Meal.itemTypeKey, id: meal.id))
        #expect(DynamicItem("T").reference.itemTypeKey == "T")
    }

    @Test func ownAttributesWin() throws {
        let booking = Booking()
        let (id, token) = (UUID(), booking.uniqueToken)
        booking.id = id
        booking.reference = "AB12"
        #expect(booking.id == id && booking.reference == "AB12")
        #expect(booking.value(forKeyPath: "id") as? UUID == id)
        // As an item of any class, and for Identifiable, it has its identity.
        let item: any DataStoreItem = booking
        #expect(item.id == token && booking.uniqueToken == token)
        #expect(Self.identity(booking) == token)
        #expect(item.reference == ItemReference(to: booking))
        #expect(item.reference.id == token)
        // So do predicates take the attribute.
        let predicate = try DataStorePredicate(#Predicate<Booking> { $0.id == id })
        #expect(try predicate == DataStorePredicate(attribute: "id", equals: id))
        #expect(try (\Booking.id == id).predicate() == predicate)
    }

    @Test func idInPredicates() throws {
        let id = ItemID()
        let byToken = try DataStorePredicate(#Predicate<Meal> { $0.uniqueToken == id })
        #expect(try DataStorePredicate(#Predicate<Meal> { $0.id == id }) == byToken)
        #expect(try (\Meal.id == id).predicate() == byToken)
        #expect(try (\Meal.uniqueToken == id).predicate() == byToken)
        #expect(byToken.namedIDs == [id])
    }
}
