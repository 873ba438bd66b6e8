/// Every check of the kit, in the order in which they run.
enum Inventory {
    static let definitions: [CheckDefinition] =
        [
            FixtureChecks.all,
            EngineChecks.all,
            LifecycleChecks.all,
            CrudChecks.all,
            ValueChecks.all,
            PredicateChecks.all,
            SortChecks.all,
            PageChecks.all,
            IndexChecks.all,
            AggregateChecks.all,
            RequestChecks.all,
            TwinChecks.all,
            LimitChecks.all,
            TransactionChecks.all,
            PrimitiveChecks.all,
            IsolationChecks.all,
            ConcurrencyChecks.all,
            ThreadingChecks.all,
            ChangeChecks.all,
            ChildChecks.all,
            DurabilityChecks.all,
            ErrorChecks.all,
            MigrationChecks.all,
            UnicodeChecks.all,
            SizeChecks.all,
            MultitudeChecks.all,
            HookChecks.all,
            RelationshipChecks.all,
            EvolutionChecks.all,
            ModelChecks.all,
            PerformanceChecks.all,
        ].flatMap { $0 }

    /// The groups that run again on stores in other states.
    static let groupsOfVariants: Set<Substring> = [
        "crud", "val", "pred", "sort", "page", "idx", "agg", "tx", "prim", "rel",
    ]

    /// Whether a pattern matches any check, in any state of the store.
    static func hasCheck(matching pattern: String) -> Bool {
        let pattern = IDPattern(pattern)
        return definitions.contains { definition in
            StoreVariant.allCases.contains { pattern.matches(definition.id + $0.suffix) }
        }
    }

    static func definition(_ id: String) -> CheckDefinition? {
        definitions.first { $0.id == id }
    }
}
