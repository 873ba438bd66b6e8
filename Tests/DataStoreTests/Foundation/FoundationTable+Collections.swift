// swift-format-ignore-file: NeverForceUnwrap
// In a #Predicate, a force unwrap is an expression, which does not trap.

import Foundation
import JustPersist

extension FoundationTable {
    static func lists(_ t: inout Self) {
        let (word, list, high) = ("bar", ["a", "b"], Level.high)
        t.add(#Predicate { $0.tags.contains("a") })
        t.add(#Predicate { $0.tags.contains(word) })
        t.add(#Predicate { !$0.tags.contains("é") })
        t.add(#Predicate { $0.tags.contains($0.name) })
        t.add(#Predicate { $0.tags.count > 2 })
        t.add(#Predicate { $0.tags.count == $0.nums.count })
        t.add(#Predicate { $0.tags.isEmpty })
        t.add(#Predicate { !$0.tags.isEmpty })
        t.add(#Predicate { $0.tags == list })
        t.add(#Predicate { $0.tags != ["a"] })
        t.add(#Predicate { $0.tags == [] })
        t.add(#Predicate { $0.tags.starts(with: ["a"]) })
        t.add(#Predicate { $0.tags.starts(with: list) })
        t.add(#Predicate { $0.tags.starts(with: []) })
        t.add(#Predicate { $0.nums.starts(with: [1]) })
        t.add(#Predicate { $0.labels.contains("a") })
        t.add(#Predicate { $0.labels.count > 1 })
        t.add(#Predicate { $0.labels.isEmpty })
        t.add(#Predicate { $0.levels.contains(high) })
        t.add(#Predicate { $0.matrix.contains([1]) })
        t.add(#Predicate { $0.marks.contains(nil) })
        t.add(#Predicate { $0.marks.contains(2) })
    }

    static func optionalLists(_ t: inout Self) {
        t.add(#Predicate { $0.aliases == nil })
        t.add(#Predicate { $0.aliases?.contains("a") ?? false })
        t.add(#Predicate { $0.aliases?.contains("a") == true })
        t.add(#Predicate { $0.aliases?.contains("a") != true })
        t.add(#Predicate { $0.aliases?.count == 2 })
        t.add(#Predicate { ($0.aliases?.count ?? 7) > 1 })
        t.add(#Predicate { $0.aliases?.isEmpty == nil })
        t.add(#Predicate { $0.aliases?.isEmpty ?? false })
        t.add(#Predicate { ($0.aliases ?? []).contains("bar") })
        t.add(#Predicate { ($0.aliases ?? $0.tags).count > 1 })
        t.add(#Predicate { $0.aliases!.contains("a") })
        t.add(#Predicate { $0.aliases?.first == "a" })
    }

    static func elements(_ t: inout Self) {
        let one = 1
        t.add(#Predicate { $0.tags.first == "a" })
        t.add(#Predicate { $0.tags.last == "a" })
        t.add(#Predicate { $0.tags.first == nil })
        t.add(#Predicate { $0.tags.first != $0.tags.last })
        t.add(#Predicate { $0.tags.first?.count == 1 })
        t.add(#Predicate { ($0.nums.first ?? 0) > 1 })
        t.add(#Predicate { $0.nums.last! > 1 })
        t.add(#Predicate { $0.tags[0] == "a" })
        t.add(#Predicate { $0.tags[one] == "a" })
        t.add(#Predicate { !($0.tags[one] == "a") })
        t.add(#Predicate { $0.tags.count > 1 && $0.tags[1] == "bar" })
        t.add(#Predicate { $0.nums[0] + $0.nums[1] > 2 })
        t.add(#Predicate { $0.nums[$0.nums.count - 1] == $0.nums.last! })
        t.add(#Predicate { $0.nums[$0.stars] == 2 })
        t.add(#Predicate { $0.matrix[0].contains(1) })
        t.add(#Predicate { $0.matrix.first?.first == 1 })
        t.add(#Predicate { $0.marks[0] == nil })
        // An element that is nil differs from a missing element.
        t.add(#Predicate { $0.marks.first == nil }, evaluated: 1)
    }

    static func numberLists(_ t: inout Self) {
        let (list, none) = ([1, 2, 3], Double.nan)
        t.add(#Predicate { $0.nums.contains(3) })
        t.add(#Predicate { $0.nums.contains($0.stars) })
        t.add(#Predicate { $0.scores.contains(0) })
        t.add(#Predicate { $0.scores.contains(none) })
        t.add(#Predicate { $0.scores.contains($0.price) })
        t.add(#Predicate { $0.nums == list })
        t.add(#Predicate { list.contains($0.nums.count) })
        t.add(#Predicate { $0.nums.contains($0.score ?? 1) })
    }

    static func closures(_ t: inout Self) {
        let (word, limit, low, high) = ("a", 2, Level.low, Level.high)
        t.add(#Predicate { $0.tags.contains { $0 == "a" } })
        t.add(#Predicate { $0.tags.contains { $0 == word } })
        t.add(#Predicate { $0.tags.contains { $0 != "a" } })
        t.add(#Predicate { $0.tags.contains { $0.contains("a") } })
        t.add(#Predicate { $0.tags.contains { $0.starts(with: "t") } })
        t.add(#Predicate { $0.tags.contains { $0.count > 2 } })
        t.add(#Predicate { $0.nums.contains { $0 > limit } })
        t.add(#Predicate { $0.nums.contains { $0 > 1 && $0 < 4 } })
        t.add(#Predicate { $0.nums.contains { $0 % 2 == 0 } })
        t.add(#Predicate { !$0.nums.contains { limit < $0 } })
        t.add(#Predicate { $0.nums.allSatisfy { $0 > 0 } })
        t.add(#Predicate { $0.nums.allSatisfy { $0 == 2 } })
        t.add(#Predicate { $0.nums.allSatisfy { $0 != 2 } })
        t.add(#Predicate { $0.nums.allSatisfy { $0 > -1 || $0 == -3 } })
        t.add(#Predicate { $0.tags.allSatisfy { !$0.isEmpty } })
        t.add(#Predicate { $0.scores.contains { $0 < 0 } })
        t.add(#Predicate { $0.scores.allSatisfy { $0 == $0 } })
        t.add(#Predicate { $0.marks.contains { $0 == nil } })
        t.add(#Predicate { $0.marks.contains { $0 == 2 } })
        t.add(#Predicate { $0.marks.allSatisfy { ($0 ?? 0) < 3 } })
        t.add(#Predicate { $0.levels.contains { $0 > low } })
        t.add(#Predicate { $0.levels.allSatisfy { $0 == high } })
        t.add(#Predicate { $0.labels.contains { $0.count == 1 } })
        t.add(#Predicate { $0.aliases?.contains { $0 == "a" } ?? false })
        t.add(#Predicate { $0.aliases?.allSatisfy { $0 == "a" } ?? false })
        t.add(#Predicate { $0.matrix.contains { $0.contains(1) } })
        t.add(#Predicate { $0.matrix.contains { $0.contains { $0 > 2 } } })
        t.add(#Predicate { $0.matrix.allSatisfy { $0.count < 2 } })
        t.add(#Predicate { $0.matrix.contains { $0.allSatisfy { $0 == 1 } } })
        // It depends on the earlier elements whether this throws.
        t.add(#Predicate { $0.marks.contains { $0! > 2 } }, evaluated: 1)
        t.add(#Predicate { $0.marks.allSatisfy { $0! > 0 } }, evaluated: 1)
        t.add(#Predicate { !$0.marks.allSatisfy { $0! > 0 } || $0.isOpen }, evaluated: 1)
    }

    static func closuresOfItems(_ t: inout Self) {
        let names = ["Thai", "a", "é"]
        t.add(#Predicate { spot in names.contains { $0 == spot.name } })
        t.add(#Predicate { spot in names.contains { spot.name.contains($0) } })
        t.add(#Predicate { spot in names.allSatisfy { $0 != (spot.nick ?? "a") } })
        t.add(#Predicate { spot in spot.nums.contains { $0 == spot.stars } })
        t.add(#Predicate { spot in spot.nums.contains { $0 > spot.stars && spot.isOpen } })
        t.add(#Predicate { spot in spot.tags.contains { spot.labels.contains($0) } })
        t.add(#Predicate { spot in spot.tags.allSatisfy { $0 != spot.name } })
        t.add(
            #Predicate { spot in
                spot.nums.contains { a in spot.nums.contains { b in a == b + 1 } }
            })
        t.add(#Predicate { spot in spot.nums.contains { $0 > (spot.score ?? 0) } })
        t.add(#Predicate { spot in spot.nums.contains { spot.isOpen ? $0 > 1 : $0 < 0 } })
    }

    static func filters(_ t: inout Self) {
        t.add(#Predicate { $0.nums.filter { $0 > 1 }.count > 1 })
        t.add(#Predicate { $0.nums.filter { $0 > 1 }.isEmpty })
        t.add(#Predicate { $0.nums.filter { $0 > 1 }.first == 3 })
        t.add(#Predicate { $0.nums.filter { $0 > 1 }.contains(4) })
        t.add(#Predicate { $0.nums.filter { $0 > 1 }.contains { $0 < 4 } })
        t.add(#Predicate { $0.nums.filter { $0 > 1 }.allSatisfy { $0 < 4 } })
        t.add(#Predicate { $0.nums.filter { $0 > 1 }.filter { $0 < 4 }.count == 1 })
        t.add(#Predicate { $0.tags.filter { $0.contains("a") }.count == $0.tags.count })
        t.add(#Predicate { $0.tags.filter { $0 == "a" } == ["a"] })
        t.add(#Predicate { ($0.aliases ?? []).filter { $0 != "a" }.count > 1 })
        t.add(#Predicate { spot in spot.nums.filter { $0 == spot.stars }.count == 1 })
        t.add(#Predicate { $0.nums.filter { $0 > 0 }.max() == 3 })
        t.add(#Predicate { $0.labels.filter { $0 == "a" }.count == 1 })
    }

    static func extremesOfLists(_ t: inout Self) {
        let (least, high): (Int?, Level?) = (-3, .high)
        t.add(#Predicate { $0.nums.max() == 5 })
        t.add(#Predicate { $0.nums.min() == least })
        t.add(#Predicate { $0.nums.max() == nil })
        t.add(#Predicate { ($0.nums.max() ?? 0) > 3 })
        t.add(#Predicate { $0.nums.max()! - $0.nums.min()! > 3 })
        t.add(#Predicate { $0.tags.max() == "é" })
        t.add(#Predicate { $0.tags.min() == "a" })
        t.add(#Predicate { $0.scores.max() == 3 })
        t.add(#Predicate { $0.scores.min() == 0 })
        t.add(#Predicate { ($0.scores.max() ?? 0) > 0.5 })
        t.add(#Predicate { $0.aliases?.max() == "x" })
        t.add(#Predicate { $0.levels.max() == high }, evaluated: 1)
    }

    static func dictionaries(_ t: inout Self) {
        let (key, list) = ("a", ["a": 1])
        t.add(#Predicate { $0.counts["a"] == 1 })
        t.add(#Predicate { $0.counts[key] == nil })
        t.add(#Predicate { ($0.counts["bar"] ?? 0) > 1 })
        t.add(#Predicate { $0.counts["a", default: 2] == 2 })
        t.add(#Predicate { $0.counts[key, default: $0.stars] > 2 })
        t.add(#Predicate { $0.counts["a"]! > 1 })
        t.add(#Predicate { $0.counts[""] == 2 })
        t.add(#Predicate { $0.counts["é"] == $0.counts["e\u{301}"] })
        t.add(#Predicate { $0.counts[$0.tags.first ?? "a"] != nil })
        t.add(#Predicate { $0.counts["a"] == $0.counts["b"] })
        t.add(#Predicate { $0.counts.count > 1 })
        t.add(#Predicate { $0.counts.isEmpty })
        t.add(#Predicate { $0.counts == list })
        t.add(#Predicate { $0.texts.flatMap { $0["a"] } == "Thai" })
        t.add(#Predicate { $0.texts.flatMap { $0["a"] }?.contains("a") ?? false })
        t.add(#Predicate { $0.texts.flatMap { $0["a", default: "x"] } == "x" })
        t.add(#Predicate { $0.texts?.count == 2 })
        t.add(#Predicate { $0.texts?.isEmpty ?? true })
        t.add(#Predicate { $0.texts == nil })
    }

    static func otherCollections(_ t: inout Self) {
        t.add(#Predicate { $0.nums[0..<2].contains(1) }, evaluated: 1)
        t.add(#Predicate { $0.counts.contains { $0.value > 2 } }, evaluated: 1)
        t.add(#Predicate { $0.name.contains { $0.isUppercase } }, evaluated: 1)
        t.add(#Predicate { $0.name.first?.isLetter == true }, evaluated: 1)
        t.add(#Predicate { $0.tags.contains(["a", "b"]) }, evaluated: 1)
        t.add(#Predicate { $0.counts.keys.contains("a") }, evaluated: 1)
        t.add(#Predicate { $0.tags.starts(with: $0.aliases ?? []) }, evaluated: 1)
    }
}
