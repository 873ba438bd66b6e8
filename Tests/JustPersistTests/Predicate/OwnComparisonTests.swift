import Foundation
import JustPersist
import Testing

/// Clause 10: types that compare by a rule of their own, in typed predicates.
@Suite struct OwnComparisonTests {
    private static func ticket(
        _ severity: Severity?, urgent: Severity = .low, code: Code = .a
    ) throws -> (Ticket, [String: DataStoreValue]) {
        let ticket = Ticket()
        ticket.severity = severity
        ticket.urgency = urgent
        ticket.code = code
        ticket.marks = [code]
        var values: [String: DataStoreValue] = [:]
        for name in ["severity", "urgency", "code", "marks", "grade"] {
            values[name] = try ticket.storedValue(forKeyPath: name)
        }
        return (ticket, values)
    }

    /// Compares a predicate's answers with Swift's.
    private static func expect(
        _ what: String, _ predicate: () throws -> DataStorePredicate,
        location: SourceLocation = #_sourceLocation, isSame: (Ticket) -> Bool
    ) throws {
        let predicate = try predicate()
        for severity in Severity.allCases + [nil] {
            for urgency in Severity.allCases {
                for code in Code.allCases {
                    let (item, values) = try ticket(severity, urgent: urgency, code: code)
                    try #expect(
                        predicate.matches(DictionarySubject(attributes: values))
                            == isSame(item),
                        "\(what): \(predicate), \(values)", sourceLocation: location)
                }
            }
        }
    }

    private static func expect(
        _ what: String, _ predicate: ItemPredicate<Ticket>,
        location: SourceLocation = #_sourceLocation, isSame: (Ticket) -> Bool
    ) throws {
        try expect(what, { try predicate.predicate() }, location: location, isSame: isSame)
    }

    private static func expect(
        _ what: String, _ predicate: Predicate<Ticket>,
        location: SourceLocation = #_sourceLocation
    ) throws {
        try expect(what, { try DataStorePredicate(predicate) }, location: location) { item in
            (try? predicate.evaluate(item)) == true
        }
    }

    @Test func enumsOrderByTheirOwnRule() throws {
        for value in Severity.allCases {
            try Self.expect("<", \.urgency < value) { $0.urgency < value }
            try Self.expect("<=", \.urgency <= value) { $0.urgency <= value }
            try Self.expect(">", \.urgency > value) { $0.urgency > value }
            try Self.expect(">=", \.urgency >= value) { $0.urgency >= value }
            try Self.expect("!<", !(\.urgency < value)) { !($0.urgency < value) }
            func present(_ item: Ticket, _ isTrue: (Severity) -> Bool) -> Bool {
                item.severity.map(isTrue) ?? false
            }
            try Self.expect("< optional", \.severity < value) { present($0) { $0 < value } }
            try Self.expect("<= optional", \.severity <= value) { present($0) { $0 <= value } }
            try Self.expect("> optional", \.severity > value) { present($0) { $0 > value } }
            try Self.expect(">= optional", \.severity >= value) { present($0) { $0 >= value } }
            try Self.expect("#<", #Predicate { $0.urgency < value })
            try Self.expect("#<=", #Predicate { $0.urgency <= value })
            try Self.expect("#>", #Predicate { $0.urgency > value })
            try Self.expect("#>=", #Predicate { $0.urgency >= value })
            try Self.expect("# turned", #Predicate { value < $0.urgency })
            try Self.expect("# not", #Predicate { !(value < $0.urgency) })
            try Self.expect("# ??", #Predicate { ($0.severity ?? value) > value })
        }
    }

    @Test func enumsAreEqualByTheirOwnRule() throws {
        for value in Code.allCases {
            try Self.expect("==", \.code == value) { $0.code == value }
            try Self.expect("!=", \.code != value) { $0.code != value }
            try Self.expect("#==", #Predicate { $0.code == value })
            try Self.expect("#!=", #Predicate { value != $0.code })
            try Self.expect("isIn", (\Ticket.code).isIn([value, .b])) {
                [value, .b].contains($0.code)
            }
            try Self.expect("contains", (\Ticket.marks).contains(value)) {
                $0.marks.contains(value)
            }
            let list = [value]
            try Self.expect("# in", #Predicate { list.contains($0.code) })
            try Self.expect("# contains", #Predicate { $0.marks.contains(value) })
        }
        for value in Severity.allCases {
            try Self.expect("==", \.severity == value) { $0.severity == value }
            try Self.expect("!=", \.severity != value) { $0.severity != value }
            try Self.expect("#==", #Predicate { $0.severity == value })
            try Self.expect("isIn", (\Ticket.severity).isIn([value, nil])) {
                [value, nil].contains($0.severity)
            }
        }
        try Self.expect("nil", \.severity == nil) { $0.severity == nil }
        try Self.expect("# paths", #Predicate { $0.urgency == $0.urgency })
        // Where the enum compares as its raw values do, the predicate stays the plain one.
        try #expect(
            (\Ticket.severity == .high).predicate() == DataStorePredicate("severity == 'high'"))
        try #expect((\Ticket.grade < .two).predicate() == DataStorePredicate("grade < 2"))
    }

    @Test func whatComparesByAnUnknownRuleIsRefused() throws {
        let (version, closed) = (Version(text: "1.10"), Closed.a)
        let label = Label(rawValue: "x")
        let wrong: [(ItemPredicate<Ticket>, String, String)] = [
            (\.version < version, "version", "Version"),
            (\.version == version, "version", "Version"),
            (\.version != version, "version", "Version"),
            (\.newest >= version, "newest", "Version"),
            (\.labels == ["a"], "labels", "Set<String>"), (\.closed == closed, "closed", "Closed"),
            (\.label == label, "label", "Label"), ((\Ticket.label).isIn([label]), "label", "Label"),
            ((\Ticket.versions).contains(version), "versions", "Version"),
            (\.versions == [version], "versions", "Version"),
            (\.marks == [.a], "marks", "Code"),
        ]
        for (predicate, name, type) in wrong {
            let error = #expect(throws: DataStoreError.self) { try predicate.predicate() }
            #expect(error?.code == .unsupported)
            #expect(error?.attribute == name)
            #expect(error?.itemType == "Ticket")
            #expect(error?.message.contains("“\(name)”") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains(type) == true, "\(error?.message ?? "")")
        }
        let labels: Set = ["a"]
        let list = [version]
        let foundation: [Predicate<Ticket>] = [
            #Predicate { $0.version < version }, #Predicate { $0.version == version },
            #Predicate { version != $0.version }, #Predicate { $0.labels == labels },
            #Predicate { $0.closed == closed }, #Predicate { $0.version == $0.version },
            #Predicate { $0.urgency < $0.urgency }, #Predicate { $0.code == $0.code },
            #Predicate { list.contains($0.version) }, #Predicate { $0.versions.contains(version) },
            #Predicate { ($0.newest ?? version) == version },
        ]
        // A #Predicate leaves them to Foundation, which knows the rule.
        let item = Ticket()
        for predicate in foundation {
            let converted = try DataStorePredicate(predicate)
            guard case .evaluated(let evaluation) = converted else {
                Issue.record("\(converted)")
                continue
            }
            #expect(try evaluation.matches(item) == predicate.evaluate(item))
        }
    }

    @Test func everyTypeCanBeComparedWithNil() throws {
        try #expect((\Ticket.newest == nil).predicate() == DataStorePredicate("newest == nil"))
        try #expect((\Ticket.newest != nil).predicate() == DataStorePredicate("newest != nil"))
        let none: Version? = nil
        for predicate in [
            #Predicate<Ticket> { $0.newest == nil }, #Predicate { $0.newest == none },
        ] {
            try #expect(DataStorePredicate(predicate) == DataStorePredicate("newest == nil"))
        }
    }
}

/// Ranked by urgency, not by name.
private enum Severity: String, Codable, CaseIterable, Comparable {
    case low, medium, high

    private var rank: Int { self == .low ? 0 : self == .medium ? 1 : 2 }

    static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}

/// Letters, whatever their case.
private enum Code: String, Codable, CaseIterable, Equatable {
    case a, b
    case capitalA = "A"

    static func == (left: Code, right: Code) -> Bool {
        left.rawValue.lowercased() == right.rawValue.lowercased()
    }
}

private enum Grade: Int, Codable, CaseIterable, Comparable {
    case one = 1
    case two, three

    static func < (left: Grade, right: Grade) -> Bool { left.rawValue < right.rawValue }
}

/// Cases that cannot be listed.
private enum Closed: String, Codable {
    case a, b
}

private struct Label: RawRepresentable, Codable, Equatable {
    var rawValue: String
}

private struct Version: Codable, Comparable {
    var text: String

    private var numbers: [Int] { text.split(separator: ".").compactMap { Int($0) } }

    static func < (left: Version, right: Version) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}

private final class Ticket: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Ticket",
        attributes: [
            AttributeSchema("severity", keyPath: \Ticket.severity),
            AttributeSchema("urgency", keyPath: \Ticket.urgency),
            AttributeSchema("code", keyPath: \Ticket.code),
            AttributeSchema("marks", keyPath: \Ticket.marks),
            AttributeSchema("version", keyPath: \Ticket.version),
            AttributeSchema("newest", keyPath: \Ticket.newest),
            AttributeSchema("labels", keyPath: \Ticket.labels),
            AttributeSchema("closed", keyPath: \Ticket.closed),
            AttributeSchema("label", keyPath: \Ticket.label),
            AttributeSchema("versions", keyPath: \Ticket.versions),
            AttributeSchema("grade", keyPath: \Ticket.grade),
        ])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var severity: Severity? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
    var urgency: Severity {
        get { attribute(at: 1, default: .low) }
        set { setAttribute(newValue, at: 1) }
    }
    var code: Code {
        get { attribute(at: 2, default: .a) }
        set { setAttribute(newValue, at: 2) }
    }
    var marks: [Code] {
        get { attribute(at: 3, default: []) }
        set { setAttribute(newValue, at: 3) }
    }
    var version: Version { attribute(at: 4, default: Version(text: "1")) }
    var newest: Version? { optionalAttribute(at: 5) }
    var labels: Set<String> { attribute(at: 6, default: []) }
    var closed: Closed { attribute(at: 7, default: .a) }
    var label: Label { attribute(at: 8, default: Label(rawValue: "")) }
    var versions: [Version] { attribute(at: 9, default: []) }
    var grade: Grade { attribute(at: 10, default: .one) }
}
