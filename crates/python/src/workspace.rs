//! Memory of the algorithms of dynamics, kept by a world from call to call; threads take one each.

use std::sync::{Mutex, PoisonError};
use stiction::dynamics::spatial::Motion;
use stiction::dynamics::{
    AbaDerivatives, AbaWorkspace, Accelerations, Centroidal, ColumnRates, CoriolisMatrix, CrbaWorkspace,
    Factor, GravityWorkspace, InverseKinematics, InverseMass, Kinematics, MassMatrix, Model, RneaDerivatives,
    RneaWorkspace, Velocities,
};

/// Memory for one call at a time.
pub(crate) struct Workspace {
    pub(crate) kin: Kinematics,
    pub(crate) vel: Velocities,
    pub(crate) rates: ColumnRates,
    pub(crate) acc: Accelerations,
    pub(crate) rnea: RneaWorkspace,
    pub(crate) aba: AbaWorkspace,
    pub(crate) crba: CrbaWorkspace,
    pub(crate) gravity: GravityWorkspace,
    pub(crate) M: MassMatrix,
    pub(crate) columns: Vec<Motion>,
    /// Made when somebody first asks.
    factor: Option<(Factor, InverseMass)>,
    coriolis: Option<CoriolisMatrix>,
    centroidal: Option<Centroidal>,
    rnea_derivatives: Option<RneaDerivatives>,
    aba_derivatives: Option<AbaDerivatives>,
    ik: Option<InverseKinematics>,
}

impl Workspace {
    fn new(model: &Model) -> Self {
        Self {
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
            rates: ColumnRates::new(model),
            acc: Accelerations::new(model),
            rnea: RneaWorkspace::new(model),
            aba: AbaWorkspace::new(model),
            crba: CrbaWorkspace::new(model),
            gravity: GravityWorkspace::new(model),
            M: MassMatrix::new(model),
            columns: vec![Motion::ZERO; model.nv()],
            factor: None,
            coriolis: None,
            centroidal: None,
            rnea_derivatives: None,
            aba_derivatives: None,
            ik: None,
        }
    }

    /// Positions of `q`, and of a `v` the velocities.
    pub(crate) fn moved(&mut self, model: &Model, q: &[f64], v: Option<&[f64]>) {
        self.kin.update(model, q);
        if let Some(v) = v {
            self.vel.update(model, &self.kin, v);
        }
    }

    pub(crate) fn inverse(&mut self, model: &Model) -> (&mut Factor, &mut InverseMass, &MassMatrix) {
        let (factor, inverse) =
            self.factor.get_or_insert_with(|| (Factor::new(model), InverseMass::new(model)));
        (factor, inverse, &self.M)
    }

    pub(crate) fn coriolis(&mut self, model: &Model) -> &[f64] {
        let matrix = self.coriolis.get_or_insert_with(|| CoriolisMatrix::new(model));
        matrix.update(&self.kin, &self.vel, &self.rates);
        &matrix.entries
    }

    pub(crate) fn centroidal(&mut self, model: &Model) -> &Centroidal {
        let centroidal = self.centroidal.get_or_insert_with(|| Centroidal::new(model));
        centroidal.update(model, &self.kin, &self.vel);
        centroidal
    }

    pub(crate) fn rnea_derivatives(&mut self, model: &Model) -> &RneaDerivatives {
        let d = self.rnea_derivatives.get_or_insert_with(|| RneaDerivatives::new(model));
        d.update(model, &self.kin, &self.vel, &self.rates, &self.acc);
        d
    }

    pub(crate) fn aba_derivatives(
        &mut self,
        model: &Model,
    ) -> (&mut AbaDerivatives, &Kinematics, &Velocities) {
        let d = self.aba_derivatives.get_or_insert_with(|| AbaDerivatives::new(model));
        (d, &self.kin, &self.vel)
    }

    pub(crate) fn ik(&mut self, model: &Model) -> &mut InverseKinematics {
        self.ik.get_or_insert_with(|| InverseKinematics::new(model))
    }
}

/// Memory that is free; one is made where there is none.
#[derive(Default)]
pub(crate) struct Workspaces(Mutex<Vec<Box<Workspace>>>);

impl Workspaces {
    /// Lends memory to `work`, which is lost if `work` panics.
    pub(crate) fn with<T>(&self, model: &Model, work: impl FnOnce(&mut Workspace) -> T) -> T {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut workspace = free.unwrap_or_else(|| Box::new(Workspace::new(model)));
        let result = work(&mut workspace);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        result
    }
}
