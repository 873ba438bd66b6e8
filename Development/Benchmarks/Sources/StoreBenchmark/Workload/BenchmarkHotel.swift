import JustPersist
import JustPersistMacros

/// The class of the type whose schema changes.
@Item("Hotel") final class BenchmarkHotel {
    var name: String = ""
    var stars: Int = 0
    var address: String = ""
}
