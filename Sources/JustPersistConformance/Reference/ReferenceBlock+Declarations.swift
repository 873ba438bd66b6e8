package import JustPersist

/// Declarations of types in a block, and the rules that they add.
extension ReferenceBlock {
    /// Makes a type known with its attributes, or changes nothing.
    ///
    /// - Parameter isOfClass: Whether it is that of an item class, without which an index goes that the class does not
    ///   declare any more.
    package func declare(
        _ schema: ItemSchema, isOfClass: Bool = false
    ) throws(DataStoreError) {
        var changed = state
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
    }

    /// Throws if two items agree in what is declared unique since the block was judged last: it cannot be committed
    /// then.
    package func judge() throws(DataStoreError) {
        if !isWriting || isJudged { return }
        isJudged = true
        if !state.types.contains(where: { $0.indexes.contains(where: \.isUnique) }) { return }
        if let violation = context.rules.violation(judged, state) {
            poison(violation)
            throw violation
        }
        judged = state
    }
}
