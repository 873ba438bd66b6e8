import Foundation

/// What a process saved of a damaged store, compared with what was written: its answer to the driver.
public struct SalvageVerdict: Codable, Sendable {
    /// Why nothing was saved.
    public var error: String?
    /// Whether the store says that it saved everything as it was.
    public var isComplete = false
    /// Whether it says that any item may lack changes.
    public var mayLackChanges = false
    /// Whether nothing tells any more which of two copies of an item is the newer one.
    public var isAgeUnknown = false
    /// The number of items that were saved as they were.
    public var right = 0
    /// The items that were saved as they were, and are told to be doubtful.
    public var doubtful = 0
    /// The keys of items that were not saved, or not as they were.
    public var missing: [Int] = []
    /// The keys of items that were saved as they once were, or were deleted, and of which that was told.
    public var olderTold: [Int] = []
    /// The number of links between items that were saved, which are as they were.
    public var links = 0
    /// The number of links between saved items that were not saved.
    public var missingLinks = 0
    /// The same, of which it was not told, and items and links that were never written.
    public var wrong: [String] = []
    /// What is wrong with the new store.
    public var remaining: [String] = []

    /// A verdict on which nothing is known yet.
    public init() {}

    /// The line that carries it.
    public var line: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}
