import Foundation
import JustPersist
import Testing

@Suite struct KeyValueAccessTests {
    let log = ErrorLog()

    private func meal(_ values: [String: DataStoreValue] = [:]) -> Meal {
        Meal(backing: log.backing(of: Meal.self, values: values))
    }

    @Test func keyPathsReachIntoDictionaries() throws {
        let meal = meal(["details": .dictionary(["a": .dictionary(["b": .int(1)])])])
        #expect(meal.value(forKeyPath: "details.a.b") as? Int == 1)
        #expect(meal.get(forKey: "details.a.b") == 1)
        #expect(meal.object(forKey: "details.a.c") == nil)
        #expect(meal.value(forKeyPath: "details.a.b.c") == nil)
        meal.setValue("x", forKeyPath: "details.a.c")
        meal.setValue(2, forKeyPath: "origin.new.deep")
        meal.setValue(nil, forKeyPath: "details.a.b")
        #expect(meal.details == ["a": .dictionary(["c": .string("x")])])
        #expect(
            try meal.storedValue(forKeyPath: "origin")
                == .dictionary(["new": .dictionary(["deep": .int(2)])]))
        #expect(log.errors.isEmpty)
    }

    @Test func valuesArriveAtTheProperties() {
        let meal = meal()
        meal.setValue("Pie", forKeyPath: "title")
        meal.setObject(5, forKey: "calories")
        meal.set("dessert", forKey: "course")
        #expect(meal.title == "Pie")
        #expect(meal.calories == 5)
        #expect(meal.course == .dessert)
        meal.setValue(nil, forKeyPath: "title")
        #expect(meal.title == nil)
        #expect(meal.object(forKey: "title") == nil)
        #expect(log.errors.isEmpty)
    }

    @Test func undeclaredKeyIsReportedAndChangesNothing() throws {
        let backing = log.backing(of: Meal.self, values: ["title": .string("a")])
        let meal = Meal(backing: backing)
        meal.setValue(1, forKeyPath: "prize")
        meal.setValue(1, forKeyPath: "prize.a")
        meal.setObject(1, forKey: "")
        #expect(meal.value(forKeyPath: "prize") == nil)
        #expect(meal.value(forKeyPath: "titles.a") == nil)
        #expect(log.codes == Array(repeating: .unknownAttribute, count: 5))
        #expect(log.errors.map(\.attribute) == ["prize", "prize", "", "prize", "titles"])
        #expect(log.errors.allSatisfy { $0.itemType == "Meal" })
        #expect(backing.values == ["title": .string("a")])
    }

    @Test func valueThatCannotBeStoredIsReportedAndChangesNothing() {
        let meal = meal(["title": .string("a")])
        meal.setValue(log, forKeyPath: "title")
        meal.setValue(UInt64.max, forKeyPath: "title")
        #expect(meal.title == "a")
        #expect(log.codes == [.unsupportedValue, .unsupportedValue])
        #expect(log.errors.map(\.attribute) == ["title", "title"])
        #expect(log.errors.first?.message.contains("ErrorLog") == true)
    }

    @Test func throwingFormsThrowWhatIsReported() {
        let meal = meal()
        #expect(throws: DataStoreError.self) { try meal.setStoredValue(1, forKeyPath: "prize") }
        #expect(throws: DataStoreError.self) { try meal.storedValue(forKeyPath: "prize") }
        #expect(log.errors.isEmpty)
    }

    @Test func uniqueTokenCanBeAskedForByKey() {
        let meal = meal()
        #expect(meal.value(forKeyPath: "uniqueToken") as? UUID == meal.uniqueToken.uuid)
    }
}
