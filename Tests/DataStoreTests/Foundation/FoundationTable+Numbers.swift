import Foundation
import JustPersist

extension FoundationTable {
    static func numbers(_ t: inout Self) {
        let (three, list) = (3, [1, 2, 7])
        t.add(#Predicate { $0.stars == 3 })
        t.add(#Predicate { $0.stars != three })
        t.add(#Predicate { $0.stars < three })
        t.add(#Predicate { $0.stars <= 3 })
        t.add(#Predicate { $0.stars > 3 })
        t.add(#Predicate { $0.stars >= 3 })
        t.add(#Predicate { three > $0.stars })
        t.add(#Predicate { $0.stars == $0.number })
        t.add(#Predicate { $0.stars < $0.number })
        t.add(#Predicate { list.contains($0.stars) })
        t.add(#Predicate { !list.contains($0.stars) })
        t.add(#Predicate { $0.small == 2 })
        t.add(#Predicate { $0.small > -1 })
        t.add(#Predicate { $0.size >= 2 })
    }

    static func optionalNumbers(_ t: inout Self) {
        let (two, none, list): (Int?, Int?, [Int?]) = (2, nil, [1, nil])
        t.add(#Predicate { $0.score == 2 })
        t.add(#Predicate { $0.score != 2 })
        t.add(#Predicate { $0.score == two })
        t.add(#Predicate { $0.score == none })
        t.add(#Predicate { $0.score == nil })
        t.add(#Predicate { $0.score != nil })
        t.add(#Predicate { nil == $0.score })
        t.add(#Predicate { $0.score == $0.other })
        t.add(#Predicate { $0.score != $0.other })
        t.add(#Predicate { list.contains($0.score) })
        t.add(#Predicate { $0.score.flatMap { $0 > 1 } ?? false })
        t.add(#Predicate { $0.score.flatMap { $0 > 1 } == nil })
    }

    static func extremes(_ t: inout Self) {
        let (exact, least, most) = ((1 << 53) + 1, Int.min, Int.max)
        let list = [least, most]
        t.add(#Predicate { $0.big == most })
        t.add(#Predicate { $0.big > least })
        t.add(#Predicate { $0.big <= least })
        t.add(#Predicate { $0.big == exact })
        t.add(#Predicate { $0.big < exact })
        t.add(#Predicate { list.contains($0.big) })
        t.add(#Predicate { $0.big < $0.stars })
    }

    static func arithmetic(_ t: inout Self) {
        let (two, ten) = (2, 10)
        t.add(#Predicate { $0.stars + 1 > 3 })
        t.add(#Predicate { $0.stars - two > 3 })
        t.add(#Predicate { $0.stars * two == 6 })
        t.add(#Predicate { 10 - $0.stars < 5 })
        t.add(#Predicate { $0.stars + $0.number > 100 })
        t.add(#Predicate { $0.stars * $0.stars == 9 })
        t.add(#Predicate { $0.stars == two + ten - 9 })
        t.add(#Predicate { -$0.stars > 1 })
        t.add(#Predicate { -$0.stars + 1 == -two })
        t.add(#Predicate { ($0.stars + 1) * 2 - $0.number * 0 == 4 })
        t.add(#Predicate { $0.stars + 1 == $0.stars - 1 })
        t.add(#Predicate { ($0.score ?? 0) + 1 > 2 })
        t.add(#Predicate { $0.small + 1 > 3 })
        t.add(#Predicate { -$0.small == 2 })
        t.add(#Predicate { $0.size * 2 + 1 == 5 })
        t.add(#Predicate { $0.score.flatMap { $0 + 1 } == 3 })
        t.add(#Predicate { ($0.score.flatMap { $0 * 2 } ?? 4) == 4 })
    }

    static func divisions(_ t: inout Self) {
        let (three, four) = (3, 4)
        t.add(#Predicate { $0.stars / 2 == 1 })
        t.add(#Predicate { $0.stars / 2 == -1 })
        t.add(#Predicate { $0.stars % 2 == 0 })
        t.add(#Predicate { $0.stars % three == -1 })
        t.add(#Predicate { $0.number / four * four == $0.number })
        t.add(#Predicate { $0.number % 10 + $0.stars > 8 })
        t.add(#Predicate { 12 / ($0.stars > 0 ? $0.stars : 1) > 3 })
        t.add(#Predicate { $0.stars != 0 && 12 % $0.stars == 0 })
        t.add(#Predicate { $0.stars == 0 || 12 / $0.stars < 4 })
        t.add(#Predicate { $0.small / 2 == -2 })
        // Beyond the whole numbers that have a sign a store calculates with decimals.
        t.add(#Predicate { $0.size / 2 == 1 }, evaluated: 1)
        t.add(#Predicate { $0.size % 2 == 1 }, evaluated: 1)
    }

    static func doubles(_ t: inout Self) {
        let (half, none, list) = (0.5, Double.nan, [0.5, 1e300])
        t.add(#Predicate { $0.price > 0.5 })
        t.add(#Predicate { $0.price == 0 })
        t.add(#Predicate { $0.price != half })
        t.add(#Predicate { $0.price <= -1 })
        t.add(#Predicate { $0.price == $0.price })
        t.add(#Predicate { $0.price == none })
        t.add(#Predicate { $0.price < none })
        t.add(#Predicate { list.contains($0.price) })
        t.add(#Predicate { $0.price * 2 + 1 > 3 })
        t.add(#Predicate { $0.price / 0 > 0 })
        t.add(#Predicate { 1 / $0.price < 0 })
        t.add(#Predicate { 1 / -$0.price > 0 })
        t.add(#Predicate { $0.price - $0.price == 0 })
        t.add(#Predicate { $0.price / $0.price == 1 })
        t.add(#Predicate { $0.rating == 0.5 })
        t.add(#Predicate { $0.rating != 0.5 })
        t.add(#Predicate { ($0.rating ?? 1) > half })
        t.add(#Predicate { ($0.rating ?? $0.price) >= 3 })
        t.add(#Predicate { $0.weight > 0.1 })
        t.add(#Predicate { $0.weight == 0.1 })
        // A Float has different digits.
        t.add(#Predicate { $0.weight + 0.2 > 0.3 }, evaluated: 1)
        t.add(#Predicate { -$0.weight < 0 }, evaluated: 1)
    }

    static func decimals(_ t: inout Self) {
        let (tenth, list) = (Decimal(1) / 10, [Decimal(3), Decimal(0)])
        t.add(#Predicate { $0.cost == tenth })
        t.add(#Predicate { $0.cost > tenth })
        t.add(#Predicate { list.contains($0.cost) })
        t.add(#Predicate { $0.cost + tenth == tenth * 2 })
        t.add(#Predicate { $0.cost * 2 < 1 })
        t.add(#Predicate { -$0.cost > 0 })
        t.add(#Predicate { $0.cost - $0.cost == 0 })
    }

    static func ranges(_ t: inout Self) {
        let (low, high) = (1, 5)
        let (closed, open, from, upTo, through) = (2...4, 2..<4, 3..., ..<3, ...3)
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let period = date...date.addingTimeInterval(1e9)
        let names = "B"..."c"
        let (low1, middle) = (Level.low, Level.middle)
        t.add(#Predicate { (1...5).contains($0.stars) })
        t.add(#Predicate { (1..<5).contains($0.stars) })
        t.add(#Predicate { (low...high).contains($0.stars) })
        t.add(#Predicate { (low..<high).contains($0.stars) })
        t.add(#Predicate { !(low...high).contains($0.stars) })
        t.add(#Predicate { closed.contains($0.stars) })
        t.add(#Predicate { open.contains($0.stars) })
        t.add(#Predicate { from.contains($0.stars) })
        t.add(#Predicate { upTo.contains($0.stars) })
        t.add(#Predicate { through.contains($0.stars) })
        t.add(#Predicate { closed.contains($0.score ?? 3) })
        t.add(#Predicate { $0.score.flatMap { closed.contains($0) } == false })
        t.add(#Predicate { ($0.stars...$0.stars + 3).contains($0.number % 7) })
        t.add(#Predicate { (0.5...2.5).contains($0.price) })
        t.add(#Predicate { period.contains($0.opened) })
        t.add(#Predicate { names.contains($0.name) })
        t.add(#Predicate { (low1...middle).contains($0.level) })
        t.add(#Predicate { (1...5).contains($0.stars + 1) && open.contains($0.stars) })
    }
}
