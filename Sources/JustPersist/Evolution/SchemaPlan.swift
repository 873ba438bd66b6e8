/// The steps by which the releases of a program have changed its stores, in their order, and its item classes.
///
/// ```swift
/// let plan = SchemaPlan("app", types: [Hotel.self]) {
///     SchemaStep("2026-03 one name") { db in
///         try db.renameAttribute("title", to: "name", of: "Hotel")
///         try db.convert("stars", of: "Hotel", to: .int, onFailure: .keep(as: "starsText"))
///     }
///     SchemaStep("2026-05 no fax") { db in try db.dropAttribute("fax", of: "Hotel") }
/// }
/// try store.open(plan: plan)
/// ```
///
/// A store keeps the names of the steps that it has applied, so each step runs once, whichever releases were skipped. Add
/// new steps at the end. Several modules may have a plan each, with names of their own.
///
/// When there are many steps, put one step in the place of the first ones, and name them in `replacing:`. A store that has
/// applied all of them does not run it; in a store that has applied none, it must do their work, or throw. Keep the names in
/// `replacing:` for as long as such stores exist. If the replacing step is replaced later, name it and the steps that it
/// replaced: a store that has applied only those must then be opened with a release between first.
public struct SchemaPlan: Sendable {
    /// The name of the plan, which identifies its steps in a store.
    public let name: String
    /// The item classes that are declared, and compared with the stored values, after the steps.
    public let types: [any DataStoreItem.Type]
    /// The steps in the order in which they run.
    public let steps: [SchemaStep]
    /// The release of the program, which is noted with each step; `nil` if it does not matter.
    public let release: String?

    /// A plan.
    public init(
        _ name: String, types: [any DataStoreItem.Type] = [], release: String? = nil,
        @SchemaStepsBuilder _ steps: () -> [SchemaStep] = { [] }
    ) {
        self.name = name
        self.types = types
        self.release = release
        self.steps = steps()
    }

    /// Throws if a name is empty, if two steps have one name, or if a step replaces one that is still in the plan.
    func validate() throws(DataStoreError) {
        if name.isEmpty || steps.contains(where: \.name.isEmpty) {
            throw DataStoreError(
                .invalidName, in: "apply",
                "The plan “\(name)” has no name, or a step without one. Name the plan and all of its steps."
            )
        }
        var names: Set<String> = []
        for step in steps where !names.insert(step.name).inserted {
            throw DataStoreError(
                .invalidName, in: "apply",
                "The plan “\(name)” has two steps named “\(step.name)”. Each needs a name of its own."
            )
        }
        for step in steps {
            guard let kept = step.replaced.first(where: names.contains) else { continue }
            throw DataStoreError(
                .invalidName, in: "apply",
                """
                The step “\(step.name)” of the plan “\(name)” replaces “\(kept)”, which is still in the plan. Remove that \
                step, or its name from those that are replaced.
                """)
        }
    }
}
