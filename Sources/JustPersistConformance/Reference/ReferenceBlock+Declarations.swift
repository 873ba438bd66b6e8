package import JustPersist

/// Declares types in a block, and enforces uniqueness.
extension ReferenceBlock {
    /// Declares a type with its attributes.
    ///
    /// After an error, nothing has changed.
    ///
    /// - Parameter isOfClass: Whether the schema is that of an item class. If so, indexes that the class no longer
    ///   declares are dropped.
    package func declare(
        _ schema: ItemSchema, isOfClass: Bool = false
    ) throws(DataStoreError) {
        var changed = state
        if isOfClass, context.rules.refusesMisfits { try changed.settleValues(of: schema) }
        try changed.declare(
            schema, isOfClass: isOfClass, limits: context.limits, rules: context.rules)
        for violation in ReferenceUniqueness.violations(declaredBetween: state, and: changed) {
            report(violation)
        }
        if changed.renames.count != state.renames.count {
            live = Dictionary(
                live.map { (changed.presentKey($0.key), $0.value) }, uniquingKeysWith: { $1 })
        }
        state = changed
        links.declarationsChanged()
    }

    /// Whether declaring a class would change nothing, and would not be refused.
    func isDeclared(_ type: ItemType) -> Bool {
        guard let schema = type.schema else { return state.type(type.key) != nil }
        var trial = state
        do throws(DataStoreError) {
            if context.rules.refusesMisfits { try trial.settleValues(of: schema) }
            try trial.declare(
                schema, isOfClass: true, limits: context.limits, rules: context.rules)
        } catch {
            return false
        }
        return trial.types == state.types && trial.renames.count == state.renames.count
    }

    /// Throws if two items have equal unique values since the last check.
    ///
    /// The block then cannot be committed.
    package func judge() throws(DataStoreError) {
        if !isWriting || isJudged || links.isFollowingRules { return }
        isJudged = true
        if !state.types.contains(where: { $0.indexes.contains(where: \.isUnique) }) { return }
        if let violation = context.rules.violation(judged, state) {
            poison(violation)
            throw violation
        }
        judged = state
    }
}
