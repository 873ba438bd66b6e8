import Foundation
import JustPersist

extension FoundationTable {
    static func texts(_ t: inout Self) {
        let (text, list) = ("Thai", ["Thai", "é", ""])
        t.add(#Predicate { $0.name == "Thai" })
        t.add(#Predicate { $0.name != text })
        t.add(#Predicate { $0.name == "e\u{301}" })
        t.add(#Predicate { $0.name < "b" })
        t.add(#Predicate { $0.name >= "É" })
        t.add(#Predicate { $0.name > text })
        t.add(#Predicate { list.contains($0.name) })
        t.add(#Predicate { $0.name.isEmpty })
        t.add(#Predicate { !$0.name.isEmpty })
        t.add(#Predicate { $0.name.count > 3 })
        t.add(#Predicate { $0.name.count == 1 })
        t.add(#Predicate { $0.name.count * 2 == $0.number % 9 })
        t.add(#Predicate { $0.name == $0.name })
    }

    static func textParts(_ t: inout Self) {
        let (text, empty) = ("ha", "")
        t.add(#Predicate { $0.name.contains("ha") })
        t.add(#Predicate { $0.name.contains(text) })
        t.add(#Predicate { $0.name.contains("") })
        t.add(#Predicate { $0.name.contains(empty) })
        t.add(#Predicate { $0.name.contains("e") })
        t.add(#Predicate { $0.name.contains("\n") })
        t.add(#Predicate { $0.name.contains("👨") })
        t.add(#Predicate { $0.name.contains("🇪🇫") })
        t.add(#Predicate { $0.name.contains("Th") })
        t.add(#Predicate { $0.name.contains("क") })
        t.add(#Predicate { $0.name.starts(with: "Th") })
        t.add(#Predicate { $0.name.starts(with: "") })
        t.add(#Predicate { $0.name.starts(with: "e\u{301}") })
        t.add(#Predicate { $0.name.starts(with: "x\r") })
        t.add(#Predicate { !$0.name.starts(with: text) })
        t.add(#Predicate { "Thailand".contains($0.name) })
        t.add(#Predicate { "Thailand".starts(with: $0.name) })
        t.add(#Predicate { $0.name.contains($0.nick ?? "Th") })
    }

    static func optionalTexts(_ t: inout Self) {
        let (text, none): (String?, String?) = ("Thai", nil)
        let list = ["Thai", nil]
        t.add(#Predicate { $0.nick == "Thai" })
        t.add(#Predicate { $0.nick != "Thai" })
        t.add(#Predicate { $0.nick == text })
        t.add(#Predicate { $0.nick == none })
        t.add(#Predicate { $0.nick == nil })
        t.add(#Predicate { $0.nick != nil && $0.nick != "" })
        t.add(#Predicate { ($0.nick ?? "") == $0.name })
        t.add(#Predicate { list.contains($0.nick) })
        t.add(#Predicate { $0.nick?.contains("ha") ?? false })
        t.add(#Predicate { $0.nick?.contains("ha") ?? true })
        t.add(#Predicate { $0.nick?.contains("ha") == true })
        t.add(#Predicate { $0.nick?.contains("ha") == false })
        t.add(#Predicate { $0.nick?.contains("ha") != true })
        t.add(#Predicate { $0.nick?.contains("ha") == nil })
        t.add(#Predicate { $0.nick?.starts(with: "T") == true })
        t.add(#Predicate { $0.nick?.isEmpty ?? true })
        t.add(#Predicate { $0.nick?.isEmpty == false })
        t.add(#Predicate { $0.nick?.count == 4 })
        t.add(#Predicate { ($0.nick?.count ?? 0) > 3 })
        t.add(#Predicate { ($0.nick ?? "none") == "none" })
        t.add(#Predicate { ($0.nick ?? $0.name) == "Thai" })
        t.add(#Predicate { ($0.nick ?? $0.name).contains("a") })
    }

    static func dates(_ t: inout Self) {
        let (date, past) = (Date(timeIntervalSinceReferenceDate: 5e8), Date.distantPast)
        let list = [date, .distantPast]
        t.add(#Predicate { $0.opened < date })
        t.add(#Predicate { $0.opened == date })
        t.add(#Predicate { $0.opened > past })
        t.add(#Predicate { $0.opened >= $0.opened })
        t.add(#Predicate { list.contains($0.opened) })
        t.add(#Predicate { $0.closed == nil })
        t.add(#Predicate { $0.closed != date })
        t.add(#Predicate { ($0.closed ?? date) > date })
        t.add(#Predicate { ($0.closed ?? $0.opened) == $0.opened })
        t.add(#Predicate { $0.closed.flatMap { $0 < date } ?? false })
        t.add(#Predicate { $0.opened.timeIntervalSinceReferenceDate > 1 })
        t.add(#Predicate { $0.opened.timeIntervalSince1970 == 978_307_200 })
        t.add(#Predicate { $0.closed?.timeIntervalSinceReferenceDate == 0 })
    }

    static func regularExpressions(_ t: inout Self) {
        let (vowels, start) = (/[aeiou]{2}/, /^T.*i$/)
        t.add(#Predicate { $0.name.contains(vowels) }, evaluated: 1)
        t.add(#Predicate { $0.name.contains(start) }, evaluated: 1)
        t.add(#Predicate { !$0.name.contains(start) }, evaluated: 1)
        t.add(#Predicate { $0.nick?.contains(vowels) ?? false }, evaluated: 1)
        t.add(#Predicate { $0.stars > 2 && $0.name.contains(vowels) }, evaluated: 1)
        t.add(#Predicate { $0.stars > 2 || $0.name.contains(vowels) }, evaluated: 1)
        t.add(#Predicate { $0.tags.contains { $0.contains(vowels) } }, evaluated: 1)
    }
}
