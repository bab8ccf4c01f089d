//! Where everything named is.
//!
//! Every frame F is stated in another, B, of its own scope or of one inside it:
//!
//! ```text
//!     X_SF = X_SB X_BF                            in the axes of the scope S                (1)
//!     X_SM = X_SB X_BP X_MP⁻¹                     of a model M whose frame P is placed      (2)
//!     X_WF = X_WM … X_SF                          in the world                              (3)
//! ```
//!
//! and moves with the link that the chain of `attached_to` ends in. Both relations may not go in circles.

use super::scope::{Attached, Base, Frame, Scopes, Site, Spot};
use crate::error::LoadError;
use crate::words::shortened;
use crate::xml::Attribute;
use stiction_dynamics::spatial::Pose;

/// Poses and carriers of all frames.
pub(crate) struct Places {
    X_WF: Vec<Pose>,
    /// The link every frame moves with; `None`: the world.
    carrier: Vec<Option<usize>>,
    /// Parent and child link of every joint; `None`: the world.
    pub(crate) ends: Vec<[Option<usize>; 2]>,
}

impl Places {
    pub(crate) fn new(scopes: &Scopes<'_>, ends: &[[Spot; 2]], bases: &[Base]) -> Result<Self, LoadError> {
        let local = local_poses(scopes, bases)?;
        let mut places = Self { X_WF: Vec::new(), carrier: carriers(scopes, ends)?, ends: Vec::new() };
        // A scope's own frame comes before the frames inside it.
        for (frame, X_SF) in scopes.frames.iter().zip(local) {
            let X_WF = places.scope(scopes, frame.site.scope) * X_SF; // (3)
            places.X_WF.push(X_WF);
        }
        places.ends = ends.iter().map(|e| e.map(|spot| places.carrier_of(scopes, spot))).collect();
        Ok(places)
    }

    fn scope(&self, scopes: &Scopes<'_>, scope: usize) -> Pose {
        scopes.scope(scope).around.map_or(Pose::IDENTITY, |(_, frame)| self.frame(frame))
    }

    pub(crate) fn frame(&self, frame: usize) -> Pose {
        self.X_WF.get(frame).copied().unwrap_or(Pose::IDENTITY)
    }

    /// X_W of what a name at `scope` means.
    pub(crate) fn spot(&self, scopes: &Scopes<'_>, (scope, base): Spot) -> Pose {
        match base {
            Base::Root => self.scope(scopes, scope),
            Base::Frame(frame) => self.frame(frame),
        }
    }

    /// The link that what a name at `scope` means moves with; `None`: the world.
    pub(crate) fn carrier_of(&self, scopes: &Scopes<'_>, (scope, base): Spot) -> Option<usize> {
        let frame = match base {
            Base::Root => scopes.scope(scope).around?.1,
            Base::Frame(frame) => frame,
        };
        self.carrier.get(frame).copied().flatten()
    }
}

/// The frame that every frame is stated in.
pub(crate) fn bases(scopes: &Scopes<'_>, ends: &[[Spot; 2]]) -> Result<Vec<Base>, LoadError> {
    let base = |frame: &Frame<'_>| match (frame.relative_to, frame.attached) {
        (Some(named), _) => scopes.find(frame.site, named),
        (None, Attached::Child(joint)) => Ok(ends.get(joint).map_or(frame.base, |[_, (_, child)]| *child)),
        (None, _) => Ok(frame.base),
    };
    scopes.frames.iter().map(base).collect()
}

/// The frames that the pose of a frame in its scope needs.
struct Needs {
    /// From B up to the scope of the frame.
    base: Vec<usize>,
    /// Chain of frames of a placed model: from P up to the scope that is the model.
    placed: Vec<usize>,
}

/// The frame `from` and those of the models around it, up to the scope `top`; none for the root.
fn chain(scopes: &Scopes<'_>, from: Base, top: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let Base::Frame(mut frame) = from else { return chain };
    loop {
        chain.push(frame);
        let Some(scope) = scopes.frames.get(frame).map(|f| f.site.scope) else { return chain };
        if scope == top {
            return chain;
        }
        match scopes.scope(scope).around {
            Some((_, around)) => frame = around,
            None => return chain,
        }
    }
}

/// (1), (2)
fn local_poses(scopes: &Scopes<'_>, bases: &[Base]) -> Result<Vec<Pose>, LoadError> {
    let mut needs = Vec::with_capacity(bases.len());
    for (frame, &base) in scopes.frames.iter().zip(bases) {
        let placed = match frame.scope {
            Some((scope, Some(name))) => {
                let site = Site { scope, model: Base::Root, ..frame.site };
                chain(scopes, scopes.find(site, name)?, scope)
            }
            _ => Vec::new(),
        };
        needs.push(Needs { base: chain(scopes, base, frame.site.scope), placed });
    }
    let mut done: Vec<Option<Pose>> = vec![None; needs.len()];
    let mut begun = vec![false; needs.len()];
    for start in 0..needs.len() {
        let mut stack = vec![start];
        while let Some(&frame) = stack.last() {
            let (Some(need), Some(stated)) = (needs.get(frame), scopes.frames.get(frame)) else { break };
            if done.get(frame).copied().flatten().is_some() {
                stack.pop();
                continue;
            }
            let known = |f: &usize| done.get(*f).copied().flatten();
            let missing = need.base.iter().chain(&need.placed).find(|f| known(f).is_none()).copied();
            if let Some(missing) = missing {
                if begun.get(missing).copied().unwrap_or(true) || missing == frame {
                    return Err(circle(stated, "its pose"));
                }
                if let Some(slot) = begun.get_mut(frame) {
                    *slot = true;
                }
                stack.push(missing);
                continue;
            }
            let along =
                |chain: &[usize]| chain.iter().rev().filter_map(known).fold(Pose::IDENTITY, |X, X_F| X * X_F);
            let X_SP = along(&need.base) * stated.X_BF;
            let X_SF = if need.placed.is_empty() { X_SP } else { X_SP * along(&need.placed).inverse() };
            if let Some(slot) = done.get_mut(frame) {
                *slot = Some(X_SF);
            }
            stack.pop();
        }
    }
    Ok(done.into_iter().map(|X| X.unwrap_or(Pose::IDENTITY)).collect())
}

fn circle(frame: &Frame<'_>, what: &str) -> LoadError {
    let stated: Option<Attribute<'_>> = frame.relative_to.or(match frame.attached {
        Attached::Named(a) => Some(a),
        _ => None,
    });
    let message = format!("{}: {what} goes in a circle through itself", frame.element.described());
    match stated {
        Some(a) => {
            let message = format!("{message} (`{}`)", shortened(a.value()));
            LoadError::Structure { place: a.place(), message }
        }
        None => frame.element.structure(message),
    }
}

/// The link that every frame moves with.
fn carriers(scopes: &Scopes<'_>, ends: &[[Spot; 2]]) -> Result<Vec<Option<usize>>, LoadError> {
    #[derive(Clone, Copy, PartialEq)]
    enum Known {
        No,
        Begun,
        Yes(Option<usize>),
    }
    let mut known = vec![Known::No; scopes.frames.len()];
    for start in 0..known.len() {
        let (mut path, mut at) = (Vec::new(), Base::Frame(start));
        let mut scope = 0;
        let found = loop {
            let frame = match at {
                Base::Frame(frame) => frame,
                Base::Root => match scopes.scope(scope).around {
                    Some((_, frame)) => frame,
                    None => break None,
                },
            };
            let (Some(stated), Some(state)) = (scopes.frames.get(frame), known.get_mut(frame)) else {
                break None;
            };
            match *state {
                Known::Yes(carrier) => break carrier,
                Known::Begun => return Err(circle(stated, "what it is attached to")),
                Known::No => *state = Known::Begun,
            }
            path.push(frame);
            scope = stated.site.scope;
            at = match stated.attached {
                Attached::Link(link) => break Some(link),
                Attached::To(base) => base,
                Attached::Named(named) => scopes.find(stated.site, named)?,
                Attached::Child(joint) => ends.get(joint).map_or(Base::Root, |[_, (_, child)]| *child),
                Attached::Model(model) => {
                    let inner = scopes.scope(model);
                    let site = Site { scope: model, model: Base::Root, ..stated.site };
                    let first = inner.first_link.or(inner.first_model).map(Base::Frame);
                    match (inner.canonical, first) {
                        (Some(named), _) => scopes.find(site, named)?,
                        (None, Some(first)) => first,
                        // A model without links stands in the world.
                        (None, None) => break None,
                    }
                }
            };
        };
        for frame in path {
            if let Some(state) = known.get_mut(frame) {
                *state = Known::Yes(found);
            }
        }
    }
    Ok(known.into_iter().map(|k| if let Known::Yes(link) = k { link } else { None }).collect())
}
