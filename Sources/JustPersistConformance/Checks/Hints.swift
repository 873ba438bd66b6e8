/// The members of a store that checks examine, at which the author of a store can begin to look for an error.
enum Hints {
    /// The member for the check with an id.
    static func member(for id: String) -> String {
        members.first { $0.pattern.matches(id) }?.member ?? "performRead(_:), performWrite(_:)"
    }

    private static let members: [(pattern: IDPattern, member: String)] = {
        var members: [(String, String)] = []
        for question in Question.allCases {
            members.append(("prim/\(question.rawValue)-*", question.primitive))
        }
        for change in Change.allCases {
            members.append(("prim/\(change.rawValue)-*", change.primitive))
        }
        for way in Way.allCases {
            members += [("twin/\(way)", way.primitive), ("limit/*-\(way)", way.primitive)]
        }
        return (members + others).map { (pattern: IDPattern($0.0), member: $0.1) }
    }()

    /// The members by patterns of ids.
    ///
    /// The first pattern that matches applies.
    private static let others: [(String, String)] = [
        ("fixture/*", "ConformanceFixture.makeStore(in:)"), ("engine/*", "KeyValueEngine"),
        ("life/setup*", "open()"), ("life/destroy*", "destroy()"), ("life/verify*", "verify()"),
        ("life/*", "close()"), ("crud/delete-all*", "performDeleteAll(_:)"),
        ("crud/mutable*", "performMutableVersion(of:)"),
        ("crud/types*", "performFetch(_:)"), ("crud/recreate*", "performDelete(_:)"),
        ("crud/update*", "ItemBacking.setValue(_:forAttribute:)"),
        ("crud/set*", "ItemBacking.setValue(_:forAttribute:)"),
        ("crud/*", "performCreate(_:)"), ("val/*", "ItemBacking, declare(_:)"),
        ("pred/*", "performFetch(_:)"), ("sort/*", "performFetch(_:)"),
        ("page/*", "performFetch(_:), performCount(_:)"), ("req/*", "performFetch(_:)"),
        ("idx/*", "declare(_:), performFetch(_:)"), ("agg/*", "performAggregate(_:_:)"),
        ("rel/*", "DataStoreReadWriteAccessor.links, ItemBacking.withWriter(_:)"),
        ("evo/*", "DataStoreReadWriteAccessor.performSchemaChange(_:)"),
        ("stream/*", "performForEach(_:_:)"),
        ("prim/enqueueWrite*", "enqueueWrite(_:completion:)"),
        ("conc/async*", "enqueueWrite(_:completion:)"),
        ("conc/group*", "enqueueWrite(_:completion:), performWrite(_:)"),
        ("chg/token*", "performChangeToken()"), ("chg/*", "observeChanges(_:since:)"),
        ("child/merge*", "performMerge(_:policy:)"),
        ("child/conflict*", "performMerge(_:policy:)"),
        ("child/*", "makeChild()"),
        ("many/groups", "performAggregate(_:_:)"), ("many/commits", "observeChanges(_:since:)"),
        ("many/attributes", "declare(_:)"), ("many/*bytes", "ItemBacking, performFetch(_:)"),
    ]
}
