/// The condition of a filtered count; each side expresses it in its own language.
enum Filter: Sendable {
    case borough(String, andStarsAbove: Int)
    case boroughOr(String, starsAbove: Int)
    case cuisine(String)
    case zipcodes([String])
    case rating(ClosedRange<Double>)
    /// In either case, of ASCII letters only: SQLite's LIKE folds no others.
    case nameContains(String)
}
