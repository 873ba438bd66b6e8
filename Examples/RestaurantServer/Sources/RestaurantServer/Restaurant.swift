import JustPersist
import JustPersistMacros

@Item final class Restaurant {
    /// The number of its licence, by which clients know it.
    @Attribute(.unique) var permit: String?
    var name: String = ""
    @Attribute(.indexed) var stars: Int = 0
}
