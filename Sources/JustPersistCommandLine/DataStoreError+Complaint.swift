package import JustPersist

extension DataStoreError {
    /// The error as the programs report it: on one line, followed by a line with the position in a text, if there is
    /// one.
    package var complaint: String {
        var text =
            (advice == nil
            ? message : [fact, commandAdvice].compactMap(\.self).joined(separator: " "))
            .printable
        if let engine { text += " (\(engine.name): \(engine.text.printable))" }
        if let location { text += "\n" + location.excerpt }
        return text
    }

    /// The next step on the command line, for errors whose own advice names Swift declarations.
    private var commandAdvice: String? {
        switch (code, operation) {
        case (.commitOutcomeUnknown, _): "Look whether the change is there before you repeat it."
        case (.storeNotFound, _):
            "Check the path; import and migrate make a store that is not there."
        case (.readOnly, _): "Leave readOnly=true out of its URL."
        case (.alreadyOpen, _): "Name each store once."
        case (.storageFull, _): "Delete items, or name a larger size in its URL: ?mapSize=64GiB."
        case (.limitExceeded, "predicate"): "Write it with fewer values."
        case (.limitExceeded, "read"):
            "Try again when others have ended, or allow more in its URL: ?readers=1000."
        case (.limitExceeded, _): "Change fewer items at once, by a narrower predicate."
        case (.invalidRequest, "aggregate"): "Leave one out."
        case (.targetNotEmpty, _): "Choose an empty target, or add --update."
        case (.verificationFailed, _):
            "Let no other program write to the target, and run again with --update."
        case (.unknownAttribute, _), (.couldNotCreateItemOfType, _): "Check the spelling."
        default: nil
        }
    }
}
