// swift-format-ignore-file: NeverForceUnwrap
// In a #Predicate, a force unwrap is an expression, which does not trap.

import Foundation
import JustPersist

extension FoundationTable {
    static func truths(_ t: inout Self) {
        let (yes, list) = (true, [true])
        t.add(#Predicate { $0.isOpen })
        t.add(#Predicate { !$0.isOpen })
        t.add(#Predicate { $0.isOpen == true })
        t.add(#Predicate { $0.isOpen != yes })
        t.add(#Predicate { $0.isBest == true })
        t.add(#Predicate { $0.isBest != true })
        t.add(#Predicate { $0.isBest == false })
        t.add(#Predicate { $0.isBest == nil })
        t.add(#Predicate { $0.isBest ?? false })
        t.add(#Predicate { $0.isBest ?? true })
        t.add(#Predicate { $0.isBest ?? $0.isOpen })
        t.add(#Predicate { ($0.isBest ?? false) == $0.isOpen })
        t.add(#Predicate { list.contains($0.isOpen) })
        t.add(#Predicate { ($0.stars > 3) == $0.isOpen })
        t.add(#Predicate { ($0.stars > 3) != $0.isOpen })
        t.add(#Predicate { $0.isOpen == ($0.name == "Thai") })
        t.add(#Predicate { ($0.stars > 3) == ($0.score != nil) })
        t.add(#Predicate { ($0.stars > 3) == false })
        t.add(#Predicate { ($0.isBest ?? false) == ($0.stars > 2) })
        t.add(#Predicate { _ in true })
        t.add(#Predicate { _ in false })
    }

    static func logic(_ t: inout Self) {
        t.add(#Predicate { $0.stars > 1 && $0.isOpen })
        t.add(#Predicate { $0.stars > 5 || $0.isOpen })
        t.add(#Predicate { !($0.stars > 1 && $0.isOpen) })
        t.add(#Predicate { !($0.stars > 1) || !$0.isOpen })
        t.add(#Predicate { ($0.stars > 3 || $0.isOpen) && !($0.score == nil) })
        t.add(#Predicate { $0.stars > 1 && $0.stars < 5 && $0.score != 2 && $0.name != "" })
        t.add(#Predicate { $0.stars == 1 || $0.stars == 4 || $0.score == 2 || $0.name == "a" })
        t.add(#Predicate { !(!($0.stars == 2)) })
        t.add(#Predicate { true && $0.isOpen })
        t.add(#Predicate { false || $0.isOpen })
    }

    static func choices(_ t: inout Self) {
        let (limit, low, high) = (2, Level.low, Level.high)
        t.add(#Predicate { $0.isOpen ? $0.stars > 3 : false })
        t.add(#Predicate { $0.isOpen ? $0.stars > 3 : $0.score == nil })
        t.add(#Predicate { ($0.isOpen ? $0.stars : $0.number) > limit })
        t.add(#Predicate { ($0.isOpen ? $0.name : "none") == "Thai" })
        t.add(#Predicate { ($0.stars > limit ? 1 : 0) + ($0.isOpen ? 1 : 0) == 2 })
        t.add(#Predicate { ($0.isOpen ? $0.score : $0.other) == 2 })
        t.add(#Predicate { ($0.isOpen ? $0.score : nil) == nil })
        t.add(#Predicate { !($0.isOpen ? $0.isOpen : $0.stars > 1) })
        t.add(#Predicate { ($0.isOpen ? $0.tags : []).contains("a") })
        t.add(
            #Predicate {
                if $0.isOpen { $0.stars > 3 } else { $0.stars < 1 }
            })
        t.add(
            #Predicate {
                if $0.stars > 5 { true } else if $0.stars > 2 { $0.isOpen } else { false }
            })
        t.add(
            #Predicate {
                if let nick = $0.nick { nick.contains("a") } else { false }
            })
        t.add(
            #Predicate { spot in
                if let score = spot.score { score > spot.stars } else { spot.isOpen }
            })
        t.add(
            #Predicate { spot in
                if let score = spot.score, let other = spot.other { score > other } else { false }
            })
        t.add(#Predicate { ($0.stars > 2 ? high : low) == $0.level })
    }

    static func coalescing(_ t: inout Self) {
        let fallback = 2
        t.add(#Predicate { ($0.score ?? 0) > 1 })
        t.add(#Predicate { ($0.score ?? fallback) == 2 })
        t.add(#Predicate { ($0.score ?? fallback) != 2 })
        t.add(#Predicate { ($0.score ?? $0.stars) > 3 })
        t.add(#Predicate { ($0.score ?? $0.stars) == ($0.other ?? $0.number) })
        t.add(#Predicate { 3 < ($0.score ?? $0.stars) })
        t.add(#Predicate { ($0.score ?? 0) < ($0.other ?? 0) })
        t.add(#Predicate { ($0.score ?? $0.stars + 1) == 3 })
        t.add(#Predicate { -($0.score ?? 1) > 0 })
        t.add(#Predicate { ($0.score.flatMap { $0 > 2 } ?? $0.isOpen) })
        t.add(#Predicate { ($0.isBest ?? false) && ($0.score ?? 0) > 1 })
    }

    static func unwrapping(_ t: inout Self) {
        let vowels = /[aeiou]/
        t.add(#Predicate { $0.score! > 1 })
        t.add(#Predicate { !($0.score! > 1) })
        t.add(#Predicate { $0.score! == $0.other! })
        t.add(#Predicate { $0.score != nil && $0.score! > 1 })
        t.add(#Predicate { $0.score == nil || $0.score! > 1 })
        t.add(#Predicate { $0.score! > 1 || $0.isOpen })
        t.add(#Predicate { $0.isOpen || $0.score! > 1 })
        t.add(#Predicate { $0.score! > 1 && $0.other! > 1 })
        t.add(#Predicate { !($0.score! > 1 && $0.isOpen) })
        t.add(#Predicate { !($0.score! > 1 || $0.other! > 1) })
        t.add(#Predicate { $0.isOpen ? $0.score! > 1 : $0.other! > 1 })
        t.add(#Predicate { ($0.score ?? $0.other!) > 1 })
        t.add(#Predicate { $0.score! + 1 > $0.stars })
        t.add(#Predicate { $0.nick!.contains("a") })
        t.add(#Predicate { $0.nick!.count == 4 })
        t.add(#Predicate { $0.nick!.isEmpty })
        t.add(#Predicate { $0.isBest! })
        t.add(#Predicate { !$0.isBest! })
        t.add(#Predicate { $0.isBest! == $0.isOpen })
        t.add(#Predicate { ($0.score! > 1) == $0.isOpen })
        t.add(#Predicate { $0.nick!.contains(vowels) }, evaluated: 1)
        t.add(#Predicate { !$0.nick!.contains(vowels) }, evaluated: 1)
        t.add(#Predicate { $0.nick!.contains(vowels) || $0.isOpen }, evaluated: 1)
        t.add(#Predicate { $0.isOpen && $0.nick!.contains(vowels) }, evaluated: 1)
    }

    static func casts(_ t: inout Self) {
        casts(&t, to: 2, "x", else: 2.5)
    }

    /// Casts whose results the compiler does not know; it warns about all others.
    private static func casts<
        Whole: Comparable & Codable & Sendable, Text: Comparable & Codable & Sendable,
        Other: Comparable & Codable & Sendable
    >(_ t: inout Self, to two: Whole, _ text: Text, else other: Other) {
        t.add(#Predicate { $0.score as? Whole == two })
        t.add(#Predicate { ($0.score as? Whole ?? two) > two })
        t.add(#Predicate { $0.score is Whole })
        t.add(#Predicate { !($0.nick is Text) })
        t.add(#Predicate { ($0.score as! Whole) > two })
        t.add(#Predicate { !(($0.score as! Whole) > two) })
        t.add(#Predicate { ($0.nick as! Text) == text })
        t.add(#Predicate { $0.stars is Whole })
        t.add(#Predicate { ($0.stars as! Whole) == two })
        t.add(#Predicate { $0.stars as? Other == nil }, evaluated: 1)
        t.add(#Predicate { $0.price as? Other != nil && $0.stars > 1 })
        t.add(#Predicate { ($0.stars as! Other) == other || $0.isOpen }, evaluated: 1)
    }

    static func constants(_ t: inout Self) {
        let (one, two, list, text) = (1, 2, [1, 2], "x")
        t.add(#Predicate { _ in one == two })
        t.add(#Predicate { _ in one + one == two })
        t.add(#Predicate { _ in list.contains(two) })
        t.add(#Predicate { _ in text.contains("x") })
        t.add(#Predicate { _ in list.count == 2 })
        t.add(#Predicate { _ in list.allSatisfy { $0 > 0 } })
        t.add(#Predicate { $0.isOpen && one < two })
        t.add(#Predicate { $0.isOpen || one > two })
    }

    static func mixtures(_ t: inout Self) {
        let (words, low, least) = (["bar", "thai"], 1, Level.low)
        t.add(
            #Predicate {
                $0.stars > low && ($0.nick?.contains("a") ?? false)
                    && !$0.tags.isEmpty
            })
        t.add(
            #Predicate {
                $0.tags.contains { words.contains($0) } || ($0.score ?? 0) > $0.stars
            })
        t.add(
            #Predicate {
                ($0.isOpen ? $0.score ?? 0 : $0.stars) % 2 == 0 && $0.level != least
            })
        t.add(
            #Predicate { spot in
                spot.visits.filter { $0.score > spot.stars }.count > 1 || spot.nick == nil
            })
        t.add(#Predicate { ($0.nick ?? "").count + $0.name.count > $0.stars * 2 })
        t.add(#Predicate { $0.uniqueToken == $0.uniqueToken && $0.stars >= 0 })
        t.add(#Predicate { $0.id == $0.uniqueToken })
        t.add(
            #Predicate {
                if $0.tags.count > 2 { $0.tags[2] == "a" } else { $0.tags.isEmpty }
            })
        t.add(#Predicate { ($0.counts["a"] ?? $0.stars) > 2 && $0.isOpen == ($0.stars > 1) })
    }
}
