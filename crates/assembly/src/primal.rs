//! What some solvers read beside G and g: M, J and v_free, and the circumstances of compliant laws.

use crate::posed::Posed;
use stiction_contact::{Csr, Primal};
use stiction_dynamics::MassMatrix;
use stiction_dynamics::spatial::Vec3;

/// M̂ of the stepper, J and v_f, such that J v_f + bias = g.
pub fn write_primal(mass: &MassMatrix, posed: &Posed, free_velocity: &[f64], out: &mut Primal) {
    let Posed { jacobian: rows, problem, .. } = posed;
    let nv = free_velocity.len();
    out.nv = nv;
    out.free_velocity.clear();
    out.free_velocity.extend_from_slice(free_velocity);
    write_mass(mass, nv, &mut out.mass);

    out.bias.clear();
    let jacobian = &mut out.jacobian;
    clear(jacobian);
    for i in 0..problem.len() {
        let free = [rows.velocity(i, free_velocity), rows.turning(i, free_velocity)].map(Vec3::to_array);
        for (k, row) in problem.range(i).enumerate() {
            let (half, k) = (k / 3, k % 3);
            let mut push = |(dof, column): (usize, Vec3)| {
                jacobian.column.push(dof);
                jacobian.value.push(column.to_array()[k]);
            };
            match half {
                0 => rows.columns(i).for_each(&mut push),
                _ => rows.more_columns(i).for_each(&mut push),
            }
            jacobian.start.push(jacobian.value.len());
            out.bias.push(problem.free_velocity[row] - free[half][k]);
        }
    }
}

/// Both triangles of a matrix that is kept by branches: row i of `mass` holds i and its ancestors.
fn write_mass(mass: &MassMatrix, nv: usize, out: &mut Csr) {
    // Entries per row, then their places.
    out.start.clear();
    out.start.resize(nv + 1, 0);
    for i in 0..nv {
        for &j in mass.columns(i) {
            let j = j as usize;
            out.start[i + 1] += 1;
            if j != i {
                out.start[j + 1] += 1;
            }
        }
    }
    (0..nv).for_each(|i| out.start[i + 1] += out.start[i]);
    let entries = out.start[nv];
    out.column.clear();
    out.column.resize(entries, usize::MAX);
    out.value.clear();
    out.value.resize(entries, 0.0);
    let mut put = |i: usize, j: usize, x: f64| {
        let mut at = out.start[i];
        while out.column[at] != usize::MAX {
            at += 1;
        }
        (out.column[at], out.value[at]) = (j, x);
    };
    for i in 0..nv {
        for (&j, &x) in mass.columns(i).iter().zip(mass.row(i)) {
            let j = j as usize;
            put(i, j, x);
            if j != i {
                put(j, i, x);
            }
        }
    }
}

fn clear(m: &mut Csr) {
    m.start.clear();
    m.start.push(0);
    m.column.clear();
    m.value.clear();
}

/// J v and the bias of every block; gaps are there already, and the materials of joints.
pub fn complete_softness(posed: &mut Posed, velocity: &[f64]) {
    let choice = posed.choice();
    for (i, block) in posed.blocks.iter().enumerate() {
        let turns = posed.problem.range(i).len() > 3;
        let softness = &mut posed.problem.softness[i];
        softness.velocity = posed.jacobian.velocity(i, velocity).to_array();
        if turns {
            softness.turning = posed.jacobian.turning(i, velocity).to_array();
        }
        softness.bias = block.bias.offset(choice);
    }
}
