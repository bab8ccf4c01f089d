//! One test per registered solver: none waits for another, and one that is slow is seen.

/// A module of tests that call `check(name)` with the name of every solver, and of one test that none is left out.
/// `all`, the list of the registry, must be in scope.
macro_rules! every_solver {
    ($module:ident: $check:ident) => {
        every_solver! {
            $module: $check:
            anitescu_qp auto ccp_admm ccp_apgd ccp_ipm ccp_pgs ccp_pgs_accelerated ccp_spg lagged lcp_lemke lcp_pgs
            lcp_pgs_accelerated lcp_qp lcp_staggered mujoco mujoco_pyramidal ncp_aclm ncp_admm ncp_al ncp_ipm ncp_lanes
            ncp_newton ncp_pgs ncp_pgs_accelerated ncp_smoothing ncp_staggered nsgs nsgs_accelerated raisim raisim_accelerated raisim_ds
            raisim_ds_accelerated sap similar
        }
    };
    ($module:ident: $check:ident: $($name:ident)*) => {
        mod $module {
            use super::*;

            $(
                #[test]
                fn $name() {
                    $check(&stringify!($name).replace('_', "-"));
                }
            )*

            #[test]
            fn no_solver_is_left_out() {
                let mut names: Vec<_> = all().iter().map(|e| e.name.replace('-', "_")).collect();
                names.sort();
                let tested = [$(stringify!($name)),*];
                assert_eq!(names, tested, "the list is in solvers/src/testing/every.rs");
            }
        }
    };
}

pub(crate) use every_solver;
