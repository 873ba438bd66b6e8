/// Example calls of the tool; tests run them.
enum Examples {
    /// Each call with a description above it.
    static let text = calls.map { "\($0.meaning):\n\n  \($0.call)" }.joined(separator: "\n\n")

    private static let calls: [(meaning: String, call: String)] = [
        (
            "Bring a file of JSON Lines into a new store, and see what is in it",
            "justpersist import lmdb:places Place places.jsonl\n  justpersist info lmdb:places"
        ),
        (
            "Print the ten places with the most stars",
            "justpersist query lmdb:places Place --sort stars:desc --limit 10"
        ),
        (
            "Find places by a part of the name, without regard to case and accents",
            "justpersist query lmdb:places Place --where 'stars > 3 AND name CONTAINS[cd] \"cafe\"'"
        ),
        (
            "Name an attribute with spaces",
            "justpersist query lmdb:places Place --where '#\"address line 2\" != nil'"
        ),
        (
            "Count the places of each borough, and average their stars",
            "justpersist query lmdb:places Place --group-by borough --select count,average:stars"
        ),
        (
            "Change some items, and add an attribute to all",
            "justpersist update lmdb:places Place --where 'stars == 5' --set borough=Bronx --yes\n  justpersist update lmdb:places Place --where TRUEPREDICATE --add visited=false --yes"
        ),
        (
            "Add an index, and see that it is used",
            "justpersist index add lmdb:places Place stars\n  justpersist query lmdb:places Place --where 'stars == 4' --explain"
        ),
        (
            "Write some items to a file, or to another program",
            "justpersist export lmdb:places Place places.csv --where 'stars > 3'\n  justpersist export lmdb:places Place | head -n 1"
        ),
        (
            "Copy a store into one of another kind, and compare the two",
            "justpersist migrate lmdb:places leveldb:copy\n  justpersist diff lmdb:places leveldb:copy"
        ),
        (
            "Check a store, and back it up",
            "justpersist verify lmdb:places\n  justpersist backup lmdb:places places.backup"
        ),
    ]
}
