/// An object that is given a store: a screen, a service, a command.
///
/// ```swift
/// if let next = screen as? any DataStoreUsing { next.dataStore = dataStore }
/// ```
public protocol DataStoreUsing: AnyObject {
    /// The store to use.
    var dataStore: any DataStore { get set }
}
