//! Kinds of geoms by their names.

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Plane,
    Sphere,
    Capsule,
    Cylinder,
    Box,
    Ellipsoid,
    Mesh,
    HeightField,
    Sdf,
}

pub(crate) const KINDS: [(&str, Kind); 9] = [
    ("plane", Kind::Plane),
    ("sphere", Kind::Sphere),
    ("capsule", Kind::Capsule),
    ("cylinder", Kind::Cylinder),
    ("box", Kind::Box),
    ("ellipsoid", Kind::Ellipsoid),
    ("mesh", Kind::Mesh),
    ("hfield", Kind::HeightField),
    ("sdf", Kind::Sdf),
];
