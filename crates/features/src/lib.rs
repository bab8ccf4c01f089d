//! Nothing but the features in `Cargo.toml`: with them the command line and the Python package, built in either order in one
//! folder, share all crates that both need. `xtask/tests/first_build.rs` checks that they do.
