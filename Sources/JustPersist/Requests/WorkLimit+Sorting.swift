extension Array {
    /// Sorts the array in place, and checks the limits of the work at intervals.
    package mutating func sortWithinLimits(
        by precedes: (Element, Element) -> Bool
    ) throws(DataStoreError) {
        var steps = WorkSteps()
        let result = Result { () throws(DataStoreError) in
            do {
                try sort { first, second in
                    try steps.count()
                    return precedes(first, second)
                }
            } catch let error as DataStoreError {
                throw error
            } catch {
                preconditionFailure("a comparison throws nothing else")
            }
        }
        try result.get()
    }
}
