//! Impulses of the last two accepted steps, by what they belonged to.
//!
//! Those of the last step hold what that step had to put right, which the next need not: of a body at rest
//! they are further from the answer than those of the step before. Solvers are given both.
//!
//! A contact is recognised by its two geometries and its feature; its impulse is kept in world
//! axes, because the tangents of its frame may have turned. Scalar rows are recognised by name.

use crate::contact_point::ContactPoint;
use crate::jacobian::Axes;
use crate::row_key::RowKey;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stiction_contact::Cone;
use stiction_dynamics::spatial::{Vec3, vec3};

/// What a warm start belongs to: the geometries of a contact, or a scalar row.
#[derive(Clone, Copy)]
pub enum Key {
    Contact([usize; 2]),
    Row(RowKey),
}

/// A remembered contact in plain numbers: geometries, feature, the impulses of the last step and of the one before, each with its
/// moment; then the numbers of its motion, if that is known.
pub type ContactNumbers = ([usize; 2], u32, Vec<f64>);
/// The same of contacts and scalar rows.
pub type Numbers = (Vec<ContactNumbers>, Vec<(RowKey, [f64; 2])>);

/// How the bodies of a contact with an impulse went on from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMotion {
    /// Where the contact was, in the world [m].
    pub point: Vec3,
    /// Velocity of B relative to A after the impulses, at the contact, and their relative angular velocity, world axes [m/s, rad/s].
    pub velocity: [Vec3; 2],
    /// Time from the pose that this is taken at to the end of the step [s].
    pub since: f64,
    /// Steps without a break in which the contact has had an impulse.
    pub steps: u32,
}

impl ContactMotion {
    /// Point, velocity, angular velocity, time since, steps.
    pub fn numbers(&self) -> [f64; 11] {
        let [v, w] = self.velocity.map(Vec3::to_array);
        let p = self.point.to_array();
        [p[0], p[1], p[2], v[0], v[1], v[2], w[0], w[1], w[2], self.since, f64::from(self.steps)]
    }

    /// The inverse of [`Self::numbers`].
    pub fn of_numbers(x: &[f64; 11]) -> Self {
        let part = |i: usize| vec3(x[i], x[i + 1], x[i + 2]);
        Self { point: part(0), velocity: [part(3), part(6)], since: x[9], steps: x[10] as u32 }
    }
}

/// Numbers of a remembered contact: without its motion, and with it.
const NUMBERS: [usize; 2] = [12, 23];

#[derive(Clone, Copy, Debug)]
struct Remembered {
    geometries: [usize; 2],
    feature: u32,
    /// Of the last step, and of the step before or the same: impulse, and its moment about the point.
    impulses: [[Vec3; 2]; 2],
    motion: Option<ContactMotion>,
}

/// Remembered impulses. Recall walks the memory in the order it was written; both orders ascend.
#[derive(Clone, Debug, Default)]
pub struct WarmStart {
    contacts: Vec<Remembered>,
    rows: Vec<(RowKey, [f64; 2])>,
    /// First remembered contact whose pair may still be asked for, and the one after that found last.
    next_contact: usize,
    expected: usize,
    next_row: usize,
    /// Steps of the contact that the next takes the place of.
    inherited: Option<u32>,
    /// Keys of the rows of the step in progress, in order.
    keys: Vec<RowKey>,
    /// What was recalled of the last step for its contacts, as it was remembered.
    recalled: Vec<([Vec3; 2], u32)>,
    /// What was recalled for all its rows, of the last step and of the step before.
    last: Vec<f64>,
    before: Vec<f64>,
}

impl WarmStart {
    /// Forgets everything: the next step starts cold.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.rows.clear();
    }

    /// Forgets the contacts.
    pub fn clear_contacts(&mut self) {
        self.contacts.clear();
    }

    /// Remembers what `other` does, without allocating once that has been as large.
    pub fn set_to(&mut self, other: &Self) {
        self.contacts.clone_from(&other.contacts);
        self.rows.clone_from(&other.rows);
    }

    /// Everything that is remembered, in plain numbers.
    pub fn numbers(&self) -> Numbers {
        let plain = |m: &Remembered| {
            let impulses = m.impulses.iter().flatten().flat_map(|x| x.to_array());
            impulses.chain(m.motion.iter().flat_map(|m| m.numbers())).collect()
        };
        (self.contacts.iter().map(|m| (m.geometries, m.feature, plain(m))).collect(), self.rows.clone())
    }

    /// The inverse of [`Self::numbers`]; every contact has twelve, or twenty-three.
    pub fn set_numbers(&mut self, contacts: &[ContactNumbers], rows: &[(RowKey, [f64; 2])]) {
        self.clear();
        for (geometries, feature, x) in contacts {
            let part = |i: usize| vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
            let impulses = [[part(0), part(1)], [part(2), part(3)]];
            let motion = x.get(12..).and_then(|x| x.try_into().ok()).map(ContactMotion::of_numbers);
            self.contacts.push(Remembered { geometries: *geometries, feature: *feature, impulses, motion });
        }
        self.rows.extend_from_slice(rows);
    }

    /// What is remembered of contacts: geometries, feature, and the impulses of the last step and of the step before or
    /// the same, each with its moment; and its motion if that is known.
    pub fn contacts(
        &self,
    ) -> impl Iterator<Item = ([usize; 2], u32, &[[Vec3; 2]; 2], Option<ContactMotion>)> {
        self.contacts.iter().map(|m| (m.geometries, m.feature, &m.impulses, m.motion))
    }

    /// Pairs of geometries with a contact that had an impulse in the last step, with its motion if that is known.
    pub fn loaded(&self) -> impl Iterator<Item = ([usize; 2], Option<ContactMotion>)> {
        let loaded = self.contacts.iter().filter(|m| m.impulses[0] != [Vec3::ZERO; 2]);
        loaded.map(|m| (m.geometries, m.motion))
    }

    /// The same of scalar rows.
    pub fn rows(&self) -> &[(RowKey, [f64; 2])] {
        &self.rows
    }

    /// Remembers one more contact, after all those before it in the order of geometries.
    pub fn push_contact(
        &mut self,
        geometries: [usize; 2],
        feature: u32,
        wrench: [Vec3; 2],
        motion: Option<ContactMotion>,
    ) {
        self.contacts.push(Remembered { geometries, feature, impulses: [wrench; 2], motion });
    }

    /// The same of a row, in the order of keys.
    pub fn push_row(&mut self, key: RowKey, impulse: f64) {
        self.rows.push((key, [impulse; 2]));
    }

    /// Adds to `other` what is remembered of those that are `wanted`.
    pub fn lend(&self, other: &mut Self, wanted: impl Fn(Key) -> bool) {
        other.contacts.extend(self.contacts.iter().filter(|m| wanted(Key::Contact(m.geometries))));
        other.contacts.sort_unstable_by_key(|m| (m.geometries, m.feature));
        other.rows.extend(self.rows.iter().filter(|row| wanted(Key::Row(row.0))));
        other.rows.sort_unstable_by_key(|row| row.0);
    }

    /// Forgets those.
    pub fn drop_those(&mut self, which: impl Fn(Key) -> bool) {
        self.contacts.retain(|m| !which(Key::Contact(m.geometries)));
        self.rows.retain(|row| !which(Key::Row(row.0)));
    }

    /// Impulse of the last step and its moment, of a contact; zero if there was none.
    pub fn wrench_of(&self, c: &ContactPoint) -> [Vec3; 2] {
        let first = self.contacts.partition_point(|m| m.geometries < c.geometries);
        let mut of_pair = self.contacts[first..].iter().take_while(|m| m.geometries == c.geometries);
        let known = of_pair.find(|m| m.feature == c.feature);
        known.map_or([Vec3::ZERO; 2], |m| m.impulses[0])
    }

    /// Impulse of a scalar row in the last step; zero if there was none.
    pub fn impulse_of(&self, key: RowKey) -> f64 {
        self.rows.binary_search_by_key(&key, |row| row.0).map_or(0.0, |at| self.rows[at].1[0])
    }

    /// Whether a contact has had an impulse in the last step, or was closed by an impact.
    pub fn has_lasted(&self, c: &ContactPoint) -> bool {
        let first = self.contacts.partition_point(|m| m.geometries < c.geometries);
        let mut of_pair = self.contacts[first..].iter().take_while(|m| m.geometries == c.geometries);
        of_pair.any(|m| m.feature == c.feature && m.motion.is_some())
    }

    /// What row i of the step in progress belongs to, contacts not counted.
    pub fn key(&self, i: usize) -> RowKey {
        self.keys[i]
    }

    /// Starts the recall of a new step.
    pub fn begin(&mut self) {
        self.next_contact = 0;
        self.expected = 0;
        self.next_row = 0;
        self.inherited = None;
        self.keys.clear();
        self.recalled.clear();
        self.last.clear();
        self.before.clear();
    }

    /// What was recalled of the last step, a number per row.
    pub fn last(&self) -> &[f64] {
        &self.last
    }

    /// The same of the step before.
    pub fn before(&self) -> &[f64] {
        &self.before
    }

    /// Recalls the impulses of a contact, or zero, in its present frame; `cone` is its own.
    #[inline(always)]
    pub fn recall_contact(&mut self, c: &ContactPoint, cone: Cone) {
        let known = self.place_of(c);
        self.expected = known.map_or(self.expected, |at| at + 1);
        let [last, before] = known.map_or(&[[Vec3::ZERO; 2]; 2], |at| &self.contacts[at].impulses);
        let own = known.and_then(|at| self.contacts[at].motion).map(|m| m.steps);
        let steps = own.or(self.inherited.take()).unwrap_or(0);
        self.recalled.push((*last, steps));
        push_rows(c, cone, last, &mut self.last);
        push_rows(c, cone, before, &mut self.before);
    }

    /// How the bodies of the contact that is recalled next went on from it in the last step, if it had an impulse.
    pub fn motion_of(&mut self, c: &ContactPoint) -> Option<ContactMotion> {
        self.place_of(c).and_then(|at| self.contacts[at].motion)
    }

    /// The motion of the nearest contact of pairs of geometries for which `same` is true, whose place contact `c` takes when it is recalled
    /// next.
    pub fn inherit(&mut self, c: &ContactPoint, same: impl Fn([usize; 2]) -> bool) -> Option<ContactMotion> {
        let (mut nearest, mut least) = (None, f64::INFINITY);
        for m in &self.contacts {
            let Some(motion) = m.motion else { continue };
            let away = (motion.point - c.position).norm();
            if away <= least && same(m.geometries) {
                (nearest, least) = (Some(motion), away);
            }
        }
        self.inherited = nearest.map(|m| m.steps);
        nearest
    }

    /// Which of those remembered a contact is: mostly they come again in their order.
    fn place_of(&mut self, c: &ContactPoint) -> Option<usize> {
        let same = |m: &Remembered| m.geometries == c.geometries && m.feature == c.feature;
        if self.contacts.get(self.expected).is_some_and(same) {
            return Some(self.expected);
        }
        while self.contacts.get(self.next_contact).is_some_and(|m| m.geometries < c.geometries) {
            self.next_contact += 1;
        }
        let of_pair = self.contacts[self.next_contact..].iter().take_while(|m| m.geometries == c.geometries);
        of_pair.enumerate().find(|(_, m)| m.feature == c.feature).map(|(k, _)| self.next_contact + k)
    }

    /// Recalls the impulses of a scalar row, or zero.
    pub fn recall(&mut self, key: RowKey) {
        while self.rows.get(self.next_row).is_some_and(|m| m.0 < key) {
            self.next_row += 1;
        }
        let known = self.rows.get(self.next_row).filter(|m| m.0 == key);
        let [last, before] = known.map_or([0.0; 2], |m| m.1);
        self.last.push(last);
        self.before.push(before);
        self.keys.push(key);
    }

    /// Remembers the impulses of an accepted step, of the contacts recalled and their cones; `motion` is how contact i went on, told
    /// the number of steps that it has lasted.
    pub fn commit(
        &mut self,
        contacts: &[ContactPoint],
        cones: &[Cone],
        impulses: &[f64],
        motion: impl Fn(usize, u32) -> Option<ContactMotion>,
    ) {
        self.contacts.clear();
        let mut row = 0;
        let recalled = contacts.iter().zip(cones).zip(&self.recalled).enumerate();
        self.contacts.extend(recalled.map(|(i, ((c, cone), (last, steps)))| {
            let rows = row..row + cone.dim();
            row = rows.end;
            let now = c.wrench(&impulses[rows]);
            let first = *last == [Vec3::ZERO; 2];
            let before = [either(first, now[0], last[0]), either(first, now[1], last[1])];
            let motion = if now == [Vec3::ZERO; 2] { None } else { motion(i, steps.saturating_add(1)) };
            let (geometries, feature, impulses) = (c.geometries, c.feature, [now, before]);
            Remembered { geometries, feature, impulses, motion }
        }));
        self.rows.clear();
        let values = impulses[row..].iter().zip(&self.last[row..]);
        self.rows.extend(self.keys.iter().zip(values).map(|(&key, (&now, &last))| (key, [now, last])));
    }
}

/// a or b, number by number: as they are in registers.
#[inline(always)]
fn either(first: bool, a: Vec3, b: Vec3) -> Vec3 {
    let either = |a: f64, b: f64| if first { a } else { b };
    vec3(either(a.x, b.x), either(a.y, b.y), either(a.z, b.z))
}

/// An impulse and its moment in the rows of a contact.
#[inline(always)]
fn push_rows(c: &ContactPoint, cone: Cone, [impulse, moment]: &[Vec3; 2], rows: &mut Vec<f64>) {
    if let Cone::NonNegative = cone {
        return rows.push(c.n.dot(*impulse));
    }
    rows.extend_from_slice(&Axes::new(c.dual_axes()).along(*impulse).to_array());
    if let Cone::Patch { .. } = cone {
        for turn in c.turning_axes().iter().take(cone.dim() - 3) {
            rows.push(turn.dot(*moment) / turn.dot(*turn));
        }
    }
}

impl PartialEq for WarmStart {
    /// The same is remembered; a step in progress does not count.
    fn eq(&self, other: &Self) -> bool {
        self.numbers() == other.numbers()
    }
}

/// Floating point numbers kept as their bits, so that no format of files rounds them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bits(pub Vec<f64>);

impl Serialize for Bits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|x| x.to_bits()))
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bits = Vec::<u64>::deserialize(deserializer)?;
        Ok(Self(bits.into_iter().map(f64::from_bits).collect()))
    }
}

/// The form of warm starts in files.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InFile {
    /// Geometries, feature, and twelve numbers: impulse and moment of the last step, and of the step before; eleven more where the motion
    /// is known: point, velocity, angular velocity, time since, steps.
    contacts: Vec<([usize; 2], u32, Bits)>,
    /// Scalar rows, and the impulses of the last two steps.
    rows: Vec<(RowKey, Bits)>,
}

impl Serialize for WarmStart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (contacts, rows) = self.numbers();
        let contacts = contacts.into_iter().map(|(g, f, x)| (g, f, Bits(x))).collect();
        let rows = rows.into_iter().map(|(key, x)| (key, Bits(x.to_vec()))).collect();
        InFile { contacts, rows }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for WarmStart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let InFile { contacts, rows } = InFile::deserialize(deserializer)?;
        if let Some(c) = contacts.iter().find(|c| !NUMBERS.contains(&c.2.0.len())) {
            return Err(D::Error::custom(format!(
                "a warm start of {} numbers; expected 12 or 23",
                c.2.0.len()
            )));
        }
        let pair = |(key, x): &(RowKey, Bits)| match x.0[..] {
            [now, before] => Ok((*key, [now, before])),
            _ => Err(D::Error::custom(format!("a warm start of {} numbers; expected 2", x.0.len()))),
        };
        let rows = rows.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        let contacts: Vec<_> = contacts.into_iter().map(|(g, f, x)| (g, f, x.0)).collect();
        let mut out = Self::default();
        out.set_numbers(&contacts, &rows);
        Ok(out)
    }
}
