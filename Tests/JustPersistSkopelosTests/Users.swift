import JustPersistMacros

/// The class of Skopelos's own examples.
@Item final class User {
    var firstname: String?
    var lastname: String?
}
