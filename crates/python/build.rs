//! Tells the linker that the interpreter brings the symbols of Python, so that none has to be there to build.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
