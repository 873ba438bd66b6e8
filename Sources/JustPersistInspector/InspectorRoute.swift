/// The paths of the inspector.
///
/// Each one needs the token, except those that serve the page itself.
package enum InspectorRoute: String, CaseIterable, Sendable {
    case page = "/"
    case script = "/inspector.js"
    case style = "/inspector.css"
    case session = "/session"
    case stores = "/stores.json"
    case types = "/types.json"
    case rows = "/rows.json"
    case count = "/count.json"
    case explain = "/explain.json"
    case item = "/item.json"
    case facets = "/facets.json"
    case raw = "/raw.json"
    case value = "/value"
    case picture = "/picture"
    case export = "/export"
    case changes = "/changes"
    case verify = "/verify"
    case diff = "/diff"
    case stats = "/stats"
    case preview = "/preview"
    case commit = "/commit"

    /// Whether only a client with the token is answered, as for everything that depends on a store.
    package var needsToken: Bool {
        switch self {
        case .page, .script, .style, .session: false
        default: true
        }
    }

    /// Whether it exists only where changes are allowed.
    package var isForChanges: Bool { self == .preview || self == .commit }

    package var methods: Set<String> {
        self == .session || isForChanges ? ["POST"] : ["GET", "HEAD"]
    }
}
