//! <compiler>: how the rest of the file is to be read.

use crate::error::LoadError;
use crate::xml::{Attribute, Element};
use std::path::{Path, PathBuf};
use stiction_world::Fate;

/// Where a body's inertia comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromGeoms {
    /// Where there is no <inertial>.
    Auto,
    Always,
    Never,
}

/// Settings of <compiler>.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    pub(crate) degrees: bool,
    /// Axes of the three Euler angles: lower case turns with the frame, upper case stands.
    pub(crate) euler_sequence: [char; 3],
    /// A range makes a limit.
    pub(crate) auto_limits: bool,
    pub(crate) mesh_folder: PathBuf,
    pub(crate) strip_path: bool,
    pub(crate) inertia: FromGeoms,
    /// Meshes that do not say otherwise have the inertia of what they enclose, overlaps once.
    pub(crate) exact_meshes: bool,
    /// Groups of geoms that give inertia.
    pub(crate) inertia_groups: [i32; 2],
    pub(crate) least_mass: f64,
    pub(crate) least_inertia: f64,
    pub(crate) balance: bool,
    pub(crate) total_mass: Option<f64>,
    pub(crate) align_free: bool,
    /// Shapes are fitted to the bounding box of a mesh, not to its inertia.
    pub(crate) fit_bounding_box: bool,
}

impl Compiler {
    /// All <compiler> elements, the later over the earlier.
    pub(crate) fn read(root: Element<'_>, folder: &Path) -> Result<Self, LoadError> {
        let mut c = Self {
            degrees: true,
            euler_sequence: ['x', 'y', 'z'],
            auto_limits: true,
            mesh_folder: folder.to_owned(),
            strip_path: false,
            inertia: FromGeoms::Auto,
            exact_meshes: false,
            inertia_groups: [0, 5],
            least_mass: 0.0,
            least_inertia: 0.0,
            balance: false,
            total_mass: None,
            align_free: false,
            fit_bounding_box: false,
        };
        for e in root.children_named("compiler") {
            c.update(e, folder)?;
        }
        Ok(c)
    }

    fn update(&mut self, e: Element<'_>, folder: &Path) -> Result<(), LoadError> {
        if let Some(a) = e.get("coordinate") {
            a.keyword(&[("local", ())])
                .map_err(|_| a.error("local (global coordinates left MJCF in 2022)"))?;
        }
        if let Some(a) = e.get("angle") {
            self.degrees = a.keyword(&[("degree", true), ("radian", false)])?;
        }
        if let Some(a) = e.get("eulerseq") {
            let axes: Vec<char> = a.value().chars().collect();
            self.euler_sequence = match axes.as_slice() {
                &[x, y, z] if axes.iter().all(|c| "xyzXYZ".contains(*c)) => [x, y, z],
                _ => return Err(a.error("three letters of xyzXYZ")),
            };
        }
        let boolean = |name: &str| e.get(name).map(|a| a.boolean()).transpose();
        self.auto_limits = boolean("autolimits")?.unwrap_or(self.auto_limits);
        self.strip_path = boolean("strippath")?.unwrap_or(self.strip_path);
        self.balance = boolean("balanceinertia")?.unwrap_or(self.balance);
        self.exact_meshes = boolean("exactmeshinertia")?.unwrap_or(self.exact_meshes);
        self.fit_bounding_box = boolean("fitaabb")?.unwrap_or(self.fit_bounding_box);
        if let Some(a) = e.get("alignfree") {
            self.align_free = a.boolean()?;
            if self.align_free {
                a.mark(Fate::Unsupported, "free bodies keep their frames, which their q is measured in");
            }
        }
        for name in ["assetdir", "meshdir"] {
            if let Some(a) = e.get(name) {
                self.mesh_folder = folder.join(a.value().trim());
            }
        }
        if let Some(a) = e.get("inertiafromgeom") {
            let words = [("auto", FromGeoms::Auto), ("true", FromGeoms::Always), ("false", FromGeoms::Never)];
            self.inertia = a.keyword(&words)?;
        }
        if let Some(a) = e.get("inertiagrouprange") {
            self.inertia_groups = a.array::<2>()?.map(|g| g as i32);
        }
        let not_negative = |name: &str| e.get(name).map(|a| a.not_negative()).transpose();
        self.least_mass = not_negative("boundmass")?.unwrap_or(self.least_mass);
        self.least_inertia = not_negative("boundinertia")?.unwrap_or(self.least_inertia);
        if let Some(a) = e.get("settotalmass") {
            self.total_mass = Some(a.number()?).filter(|m| *m > 0.0);
        }
        Ok(())
    }
}

/// Where the file of an asset is.
pub(crate) fn path(file: Attribute<'_>, compiler: &Compiler) -> PathBuf {
    let name = Path::new(file.value().trim());
    match name.file_name() {
        Some(last) if compiler.strip_path => compiler.mesh_folder.join(last),
        _ => compiler.mesh_folder.join(name),
    }
}
