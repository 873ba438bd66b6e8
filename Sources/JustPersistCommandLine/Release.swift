/// The release of the programs, which their option --version and the manual show.
package enum Release {
    /// The version, as semantic versioning writes it.
    package static let version = "0.1.0-dev"
}
