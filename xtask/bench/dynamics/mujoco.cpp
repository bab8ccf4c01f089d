// MuJoCo's share of `cargo xtask bench dynamics`: its C functions, each from q (and v) to the result.
// MuJoCo's q, v and frames are ours; only the order of the joints may differ.

#include <mujoco/mujoco.h>

#include "driver.hpp"

int main(int, char ** argv)
{
  States input(argv[2]);
  char said[500] = "";
  mjModel * m = mj_loadXML(argv[1], nullptr, said, sizeof said);
  if (!m || m->nq != input.nq || m->nv != input.nv)
  {
    std::cerr << argv[1] << ": " << (m ? "another number of coordinates" : said) << '\n';
    return 1;
  }
  const int nv = m->nv, last = m->jnt_bodyid[mj_name2id(m, mjOBJ_JOINT, input.joints.back().name.c_str())];

  // Ours to MuJoCo's: coordinate of each q and v.
  std::vector<int> at_q, at_v;
  for (auto & joint : input.joints)
  {
    int j = mj_name2id(m, mjOBJ_JOINT, joint.name.c_str());
    if (j < 0) { std::cerr << "MuJoCo has no joint " << joint.name << '\n'; return 1; }
    for (int i = 0; i < joint.nq; ++i) at_q.push_back(m->jnt_qposadr[j] + i);
    for (int i = 0; i < joint.nv; ++i) at_v.push_back(m->jnt_dofadr[j] + i);
  }
  auto placed = [](const Numbers & x, const std::vector<int> & at) {
    Numbers out(x.size());
    for (size_t i = 0; i < x.size(); ++i) out[at[i]] = x[i];
    return out;
  };
  auto states = input.states;
  for (auto & s : states)
    s = {placed(s.q, at_q), placed(s.v, at_v), placed(s.a, at_v), placed(s.tau, at_v)};

  mjData * d = mj_makeData(m);
  Numbers result(nv), jacobian(6 * nv);
  auto ours = [&](const mjtNum * x) {
    Numbers out(nv);
    for (int i = 0; i < nv; ++i) out[i] = x[at_v[i]];
    return out;
  };
  auto position = [&](int k) {
    mju_copy(d->qpos, states[k].q.data(), m->nq);
    mj_kinematics(m, d);
    mj_comPos(m, d);
  };
  auto velocity = [&](int k) {
    mju_copy(d->qvel, states[k].v.data(), nv);
    mj_comVel(m, d);
  };
  auto value = [&](int) { return ours(result.data()); };

  Driver driver;
  driver.add(
    "rnea",
    [&](int k) {
      position(k);
      velocity(k);
      mju_copy(d->qacc, states[k].a.data(), nv);
      mj_rne(m, d, 1, result.data());
    },
    value);
  driver.add(
    "crba", [&](int k) { position(k); mj_makeM(m, d); },
    [&](int) {
      Numbers full(nv * nv), out;
      mj_fullM(m, d, full.data());
      for (int i : at_v)
        for (int j : at_v) out.push_back(full[i * nv + j]);
      return out;
    });
  // Forward dynamics the way MuJoCo does it.
  driver.add(
    "aba",
    [&](int k) {
      position(k);
      mj_makeM(m, d);
      mj_factorM(m, d);
      velocity(k);
      mj_rne(m, d, 0, d->qfrc_bias);
      mju_sub(d->qfrc_smooth, states[k].tau.data(), d->qfrc_bias, nv);
      mj_solveM(m, d, result.data(), d->qfrc_smooth, 1);
    },
    value);
  // Always of the matrix of state 0, which nobody has to fetch from far; the value is right there only.
  position(0);
  mj_makeM(m, d);
  mjData * prepared = mj_copyData(nullptr, m, d);
  driver.add(
    "factor+solve",
    [&](int k) {
      mj_factorM(m, prepared);
      mj_solveM(m, prepared, result.data(), states[k].tau.data(), 1);
    },
    value);
  // cdof is every joint's column; mj_jac* only gathers and shifts them.
  driver.add("jacobians", position, [&](int) {
    mj_jacBody(m, d, jacobian.data() + 3 * nv, jacobian.data(), last);
    Numbers out;
    for (int row = 0; row < 6; ++row)
      for (int i : at_v) out.push_back(jacobian[row * nv + i]);
    return out;
  });
  return driver.answer(int(states.size()));
}
