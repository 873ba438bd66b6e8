// swift-format-ignore-file: NeverForceUnwrap
// In a #Predicate, a force unwrap is an expression, which does not trap.

import Foundation
import JustPersist

extension FoundationTable {
    static func enums(_ t: inout Self) {
        let (high, list, grade): (Level, [Level], Grade?) = (.high, [.low, .high], .fair)
        let (poor, good) = (Grade.poor, Grade.good)
        t.add(#Predicate { $0.level == high })
        t.add(#Predicate { $0.level != high })
        t.add(#Predicate { $0.level < high })
        t.add(#Predicate { $0.level >= high })
        t.add(#Predicate { high > $0.level })
        t.add(#Predicate { list.contains($0.level) })
        t.add(#Predicate { $0.level.rawValue == "middle" })
        t.add(#Predicate { $0.level.rawValue.contains("i") })
        t.add(#Predicate { $0.level.rawValue < "m" })
        t.add(#Predicate { $0.grade == grade })
        t.add(#Predicate { $0.grade == nil })
        t.add(#Predicate { $0.grade?.rawValue == 2 })
        t.add(#Predicate { ($0.grade?.rawValue ?? 3) > 2 })
        t.add(#Predicate { $0.grade.flatMap { $0 < poor } ?? false })
        t.add(#Predicate { $0.grade! > good })
        t.add(#Predicate { $0.level == $0.level })
        t.add(#Predicate { $0.levels.first == high })
        t.add(#Predicate { $0.levels.count > 1 })
        t.add(#Predicate { $0.levels.contains { $0.rawValue == "low" } })
        t.add(#Predicate { $0.level < ($0.levels.first ?? high) }, evaluated: 1)
    }

    static func structures(_ t: inout Self) {
        let city = "bar"
        t.add(#Predicate { $0.street == nil })
        t.add(#Predicate { $0.street?.city == "bar" })
        t.add(#Predicate { $0.street?.city == city })
        t.add(#Predicate { $0.street?.city.contains("a") ?? false })
        t.add(#Predicate { $0.street?.number == 2 })
        t.add(#Predicate { $0.street?.number == nil })
        t.add(#Predicate { ($0.street?.number ?? 1) > 1 })
        t.add(#Predicate { ($0.street?.height ?? 0) > 1 })
        t.add(#Predicate { $0.street!.height * 2 == 3 })
        t.add(#Predicate { $0.street?.city.isEmpty == true })
        t.add(#Predicate { $0.street?.city.count == 1 })
        t.add(#Predicate { $0.street?.isMain == true })
        t.add(#Predicate { $0.street?.upper == "BAR" }, evaluated: 1)
    }

    static func visits(_ t: inout Self) {
        t.add(#Predicate { $0.visits.contains { $0.score > 3 } })
        t.add(#Predicate { $0.visits.contains { $0.by == "a" } })
        t.add(#Predicate { $0.visits.contains { $0.by == nil } })
        t.add(#Predicate { $0.visits.contains { $0.score == 2 && $0.by != nil } })
        t.add(#Predicate { $0.visits.allSatisfy { $0.score > 1 } })
        t.add(#Predicate { $0.visits.filter { $0.score > 3 }.count > 1 })
        t.add(#Predicate { $0.visits.first?.score == 2 })
        t.add(#Predicate { $0.visits.first?.by == "a" })
        t.add(#Predicate { $0.visits.isEmpty })
        t.add(#Predicate { $0.visits.count == 2 })
        t.add(#Predicate { spot in spot.visits.contains { $0.score == spot.stars } })
        t.add(#Predicate { $0.visits[0].score + 1 == 3 })
        t.add(#Predicate { ($0.visits.last.flatMap { $0.by } ?? "none").count > 1 })
    }

    static func otherKinds(_ t: inout Self) {
        let data = Data([1])
        let (token, site) = (UUID(), URL(string: "x"))
        let owner = ItemReference(itemTypeKey: "Spot", id: ItemID(high: 7, low: 2))
        let id = owner.id
        t.add(#Predicate { $0.cover == nil })
        t.add(#Predicate { $0.cover == data })
        t.add(#Predicate { $0.cover?.count == 2 })
        t.add(#Predicate { ($0.cover?.count ?? 0) > 1 })
        t.add(#Predicate { $0.cover?.isEmpty == true })
        t.add(#Predicate { $0.token == token })
        t.add(#Predicate { $0.token != token })
        t.add(#Predicate { $0.token.uuidString.contains("A1") })
        t.add(#Predicate { $0.site == site })
        t.add(#Predicate { $0.site == nil })
        t.add(#Predicate { $0.owner == owner })
        t.add(#Predicate { $0.owner == nil })
        t.add(#Predicate { $0.owner?.id == id })
        t.add(#Predicate { $0.uniqueToken == id })
        t.add(#Predicate { $0.id != id })
    }

    static func ownTypes(_ t: inout Self) {
        let (edition, list) = (Edition(text: "1.10"), [Edition(text: "2"), Edition(text: "1")])
        let street = Street(city: "a", number: nil, height: 0, isMain: true)
        t.add(#Predicate { $0.edition < edition }, evaluated: 1)
        t.add(#Predicate { $0.edition == edition }, evaluated: 1)
        t.add(#Predicate { !($0.edition < edition) }, evaluated: 1)
        t.add(#Predicate { $0.stars > 2 && $0.edition > edition }, evaluated: 1)
        t.add(#Predicate { list.contains($0.edition) }, evaluated: 1)
        t.add(#Predicate { $0.street == street }, evaluated: 1)
        t.add(#Predicate { $0.edition.text == "1.2" })
        t.add(#Predicate { $0.edition.text.contains(".") })
    }

    static func evaluatedParts(_ t: inout Self) {
        let (vowels, edition) = (/[aeiou]{2}/, Edition(text: "1.2"))
        t.add(#Predicate { $0.isOpen && $0.stars > 1 && $0.name.contains(vowels) }, evaluated: 1)
        t.add(
            #Predicate { $0.name.contains(vowels) || $0.edition == edition || $0.isOpen },
            evaluated: 2)
        t.add(#Predicate { ($0.name.contains(vowels)) == $0.isOpen }, evaluated: 1)
        t.add(#Predicate { $0.isOpen ? $0.name.contains(vowels) : $0.stars > 2 }, evaluated: 1)
        t.add(
            #Predicate { !($0.name.contains(vowels) && !($0.edition == edition)) }, evaluated: 2)
        t.add(#Predicate { $0.nick!.contains(vowels) && $0.score! > 1 }, evaluated: 1)
        t.add(#Predicate { ($0.nick?.contains(vowels)) == nil || $0.stars < 0 }, evaluated: 1)
    }
}
