extension DataStoreError {
    /// A stable name for a kind of failure.
    ///
    /// New codes may come with new releases, and a wrapper may add its own, so a `switch` needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, as it appears in logs.
        public let rawValue: String

        /// A code with the given name.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ name: String) { rawValue = name }

        // MARK: Opening and closing

        /// The store was used before `setup()` or after `tearDown()`.
        public static let notSetUp = Code("notSetUp")
        /// The store's files are already open in this process, perhaps through another path.
        public static let alreadyOpen = Code("alreadyOpen")
        /// Another process has locked the store.
        public static let lockedByAnotherProcess = Code("lockedByAnotherProcess")
        /// The path holds something that is not a store of this kind; it was left untouched.
        public static let notAStore = Code("notAStore")
        /// The store was written by a newer release than this one.
        public static let newerFormat = Code("newerFormat")
        /// The store was written in a format that this release does not read any more.
        public static let olderFormat = Code("olderFormat")
        /// The store's files were deleted or replaced while it was open.
        public static let storeDeleted = Code("storeDeleted")
        /// The store does not exist, and was not to be created.
        public static let storeNotFound = Code("storeNotFound")
        /// The store's URL names no registered backend, or cannot be understood.
        public static let invalidStoreURL = Code("invalidStoreURL")
        /// The directory or a file cannot be read or written by this user.
        public static let accessDenied = Code("accessDenied")
        /// The store was opened read-only.
        public static let readOnly = Code("readOnly")

        // MARK: Blocks

        /// A write block was begun inside a write block of the same store.
        public static let nestedWrite = Code("nestedWrite")
        /// The call would wait for a block that runs on the calling thread, such as closing a store inside its own block.
        public static let insideBlock = Code("insideBlock")
        /// An accessor or an item was used after its block had ended.
        public static let blockEnded = Code("blockEnded")
        /// An accessor or a live item was used on another thread than its block's.
        public static let wrongThread = Code("wrongThread")

        // MARK: Child stores

        /// The store to merge is not a child of the store it was to be merged into.
        public static let incompatibleChildDataStore = Code("incompatibleChildDataStore")
        /// The child and its parent made conflicting changes, listed in ``DataStoreError/conflicts``.
        public static let mergeConflict = Code("mergeConflict")

        // MARK: Items and requests

        /// A read-only item was written to.
        public static let itemNotMutable = Code("itemNotMutable")
        /// The item is not in this store.
        public static let foreignItem = Code("foreignItem")
        /// The item was deleted.
        public static let itemDeleted = Code("itemDeleted")
        /// The type has no attribute of that name.
        public static let unknownAttribute = Code("unknownAttribute")
        /// The name cannot be the name of a type or an attribute.
        public static let invalidName = Code("invalidName")
        /// Two attributes are ambiguous: a type declares one name twice, or a store has values under both names of an
        /// attribute that was renamed.
        public static let conflictingAttributes = Code("conflictingAttributes")
        /// A store has items under both keys of a type that was renamed.
        public static let conflictingTypes = Code("conflictingTypes")
        /// The value is of a kind that the store does not keep, or does not fit its attribute.
        public static let unsupportedValue = Code("unsupportedValue")
        /// A value is of another kind than its attribute is declared to hold, and cannot be converted exactly.
        public static let kindMismatch = Code("kindMismatch")
        /// A class is declared with kinds that stored values neither have nor convert to exactly; the message lists the
        /// attributes, and the conversions that are needed.
        public static let schemaMismatch = Code("schemaMismatch")
        /// A later release has changed the store with a step that this release does not know.
        public static let newerSchema = Code("newerSchema")
        /// A step of a ``SchemaPlan`` has changed a part of the store and is not complete.
        public static let migrationRunning = Code("migrationRunning")
        /// The store lacks steps that this release has replaced by one; a release between must be used first.
        public static let olderSchema = Code("olderSchema")
        /// Two items have the same value for an attribute that is declared unique; the message names both.
        public static let uniqueViolation = Code("uniqueViolation")
        /// Relationships do not hold at the end of a write block: a number of others that is required, or a deletion that
        /// is denied.
        public static let validationFailed = Code("validationFailed")
        /// Two relationships name each other as inverses, but do not agree.
        public static let conflictingRelationships = Code("conflictingRelationships")
        /// A relationship was followed after the block of its item had ended.
        public static let relationshipNotLoaded = Code("relationshipNotLoaded")
        /// The request cannot be executed as it is: a negative offset, for example.
        public static let invalidRequest = Code("invalidRequest")
        /// The predicate's text cannot be understood; see ``DataStoreError/location``.
        public static let invalidPredicate = Code("invalidPredicate")
        /// The store does not support the operator, sort or operation.
        public static let unsupported = Code("unsupported")
        /// The task was cancelled while a store worked for it.
        ///
        /// The calls that throw, such as `read` and `write`, throw `CancellationError` in its place when it leaves the
        /// store.
        public static let cancelled = Code("cancelled")
        /// The request took longer than ``DataStoreRequest/deadline`` allows.
        public static let deadlineExceeded = Code("deadlineExceeded")
        /// No item could be created (the original library's case).
        public static let couldNotCreateItemOfType = Code("couldNotCreateItemOfType")
        /// The item could not be deleted (the original library's case).
        public static let couldNotDeleteItem = Code("couldNotDeleteItem")
        /// The items of a type could not be deleted (the original library's case).
        public static let couldNotDeleteItemsOfType = Code("couldNotDeleteItemsOfType")
        /// No mutable version of the item is available (the original library's case).
        public static let couldNotFetchMutableVersion = Code("couldNotFetchMutableVersion")

        // MARK: Storage

        /// Something is larger than the contract's limit, which the message names.
        public static let limitExceeded = Code("limitExceeded")
        /// The disk or the reserved space is full; committed data is intact.
        public static let storageFull = Code("storageFull")
        /// Stored bytes are damaged; the message names the record or the file.
        public static let corrupted = Code("corrupted")
        /// An unfinished write at the end of the store's files was removed; no committed data was lost.
        ///
        /// A store reports this when it has opened successfully after a loss of power.
        public static let recovered = Code("recovered")
        /// The operating system or the engine failed to read or write.
        public static let storageFailure = Code("storageFailure")

        // MARK: Servers

        /// Another process held the store for longer than the time limit; nothing was changed.
        public static let busy = Code("busy")
        /// The connection to the store's server is lost, or none could be made; nothing of the block was committed.
        public static let connectionLost = Code("connectionLost")
        /// The connection was lost during a commit, and it is not known yet whether the block was committed.
        ///
        /// ``DataStoreError/commitToken`` identifies the commit.
        public static let commitOutcomeUnknown = Code("commitOutcomeUnknown")

        /// Another process has changed what a write block has read; nothing was changed.
        ///
        /// Thrown by engines over servers whose transactions do not wait for each other. The block may be run again.
        public static let conflict = Code("conflict")
        /// The block lasted longer than the server keeps the state that the block sees; nothing was changed.
        public static let snapshotExpired = Code("snapshotExpired")
        /// The block's changes are more than the server accepts in one transaction; nothing was changed.
        public static let transactionTooLarge = Code("transactionTooLarge")

        // MARK: Moving data

        /// The target of a migration already holds items.
        public static let targetNotEmpty = Code("targetNotEmpty")
        /// The store holds a part of a migration that has not ended.
        ///
        /// Run the migration again, or delete the store.
        public static let unfinishedCopy = Code("unfinishedCopy")
        /// Imported text is not valid; the message names the line.
        public static let invalidInput = Code("invalidInput")
        /// The copy differs from its source.
        public static let verificationFailed = Code("verificationFailed")
    }
}
