// Pinocchio's share of `cargo xtask bench dynamics`: its C++ templates, compiled for this machine, each
// from q (and v, a or tau) to the result.
//
// Pinocchio counts the velocity of a free joint in axes of the body, we count its linear part in axes of
// the world. With R the rotation of the free body, y what is ours and x what is Pinocchio's:
//
//     v_x = A v_y,   a_x = A a_y - c,   c = (w x R^T v_lin, 0),   tau_y = A^T tau_x,   M_y = A^T M_x A
//
// where A permutes the joints and turns the linear part by R^T. Results are converted after the clock
// has stopped. The tangents of the configuration are related as the velocities are, and A depends on it:
// a small rotation e of the body, in its axes, adds [R^T x] e to R^T x, with [y] z = y x z.

#include <pinocchio/multibody.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "driver.hpp"

using namespace pinocchio;
using Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The robot as robots.py writes it: no reader from a prebuilt library, whose layout may differ.
static Model load(const char * path)
{
  std::ifstream file(path);
  Model m;
  int n = 0;
  file >> n;
  for (int k = 0; k < n; ++k)
  {
    std::string name, type;
    JointIndex parent;
    Vector3d axis, p, com;
    Eigen::Matrix3d R, I;
    double mass;
    auto read = [&](auto & x) {
      for (int i = 0; i < x.rows(); ++i)
        for (int j = 0; j < x.cols(); ++j) file >> x(i, j);
    };
    file >> name >> type >> parent;
    read(axis), read(R), read(p);
    file >> mass;
    read(com), read(I);
    const SE3 X(R, p);
    JointIndex j = 0;
    auto joint = [&](const auto & kind) { j = m.addJoint(parent, kind, X, name); };
    if (type == "JointModelFreeFlyer") joint(JointModelFreeFlyer());
    else if (type == "JointModelRX") joint(JointModelRX());
    else if (type == "JointModelRY") joint(JointModelRY());
    else if (type == "JointModelRZ") joint(JointModelRZ());
    else if (type == "JointModelPX") joint(JointModelPX());
    else if (type == "JointModelPY") joint(JointModelPY());
    else if (type == "JointModelPZ") joint(JointModelPZ());
    else if (type == "JointModelRevoluteUnaligned") joint(JointModelRevoluteUnaligned(axis));
    else if (type == "JointModelPrismaticUnaligned") joint(JointModelPrismaticUnaligned(axis));
    else throw std::runtime_error("a joint of type " + type);
    m.appendBodyToJoint(j, Inertia(mass, com, I), SE3::Identity());
  }
  if (!file) throw std::runtime_error(std::string(path) + ": not a model");
  return m;
}

// A state in Pinocchio's coordinates, and A and c of the header.
struct Converted
{
  VectorXd q, v, a, tau, c;
  MatrixXd A;
  bool free;
};

static Converted convert(const Model & m, const States & input, const State & s)
{
  Converted x;
  x.free = false;
  x.q.setZero(m.nq);
  x.c.setZero(m.nv);
  x.A.setZero(m.nv, m.nv);
  auto mapped = [](const Numbers & n) { return Eigen::Map<const VectorXd>(n.data(), Eigen::Index(n.size())); };
  int i = 0, iv = 0;
  for (auto & joint : input.joints)
  {
    const JointIndex j = m.getJointId(joint.name);
    if (j >= JointIndex(m.njoints)) throw std::runtime_error("Pinocchio has no joint " + joint.name);
    const int jq = m.idx_qs[j], jv = m.idx_vs[j];
    x.A.block(jv, iv, joint.nv, joint.nv).setIdentity();
    for (int k = 0; k < joint.nq; ++k) x.q[jq + k] = s.q[i + k];
    if (joint.nv == 6)
    {
      x.free = true;
      const Eigen::Quaterniond turn(s.q[i + 3], s.q[i + 4], s.q[i + 5], s.q[i + 6]);
      x.q.segment<4>(jq + 3) = turn.coeffs(); // x y z w
      const Eigen::Matrix3d Rt = turn.toRotationMatrix().transpose();
      x.A.block<3, 3>(jv, iv) = Rt;
      const Vector3d v(s.v[iv], s.v[iv + 1], s.v[iv + 2]), w(s.v[iv + 3], s.v[iv + 4], s.v[iv + 5]);
      x.c.segment<3>(jv) = w.cross(Rt * v);
    }
    i += joint.nq, iv += joint.nv;
  }
  x.v = x.A * mapped(s.v);
  x.a = x.A * mapped(s.a) - x.c;
  x.tau = x.A * mapped(s.tau); // A is orthogonal
  return x;
}

static Eigen::Matrix3d skew(const Vector3d & y)
{
  Eigen::Matrix3d M;
  M << 0, -y[2], y[1], y[2], 0, -y[0], -y[1], y[0], 0;
  return M;
}

// d(A y)/dq, or d(A^T x)/dq, of a robot whose free joint, if any, comes first in both orders.
static MatrixXd turned(const Converted & c, const VectorXd & Ay)
{
  MatrixXd D = MatrixXd::Zero(Ay.size(), Ay.size());
  if (c.free) D.block<3, 3>(0, 3) = skew(Ay.head<3>());
  return D;
}
static MatrixXd turned_back(const Converted & c, const VectorXd & x)
{
  MatrixXd D = MatrixXd::Zero(x.size(), x.size());
  if (c.free) D.block<3, 3>(0, 3) = -c.A.block<3, 3>(0, 0).transpose() * skew(x.head<3>());
  return D;
}

// dc/dq and dc/dv.
static std::pair<MatrixXd, MatrixXd> carried(const Converted & c)
{
  MatrixXd dq = MatrixXd::Zero(c.v.size(), c.v.size()), dv = dq;
  if (c.free)
  {
    const Vector3d v = c.v.head<3>(), w = c.v.segment<3>(3);
    dq.block<3, 3>(0, 3) = skew(w) * skew(v);
    dv.block<3, 3>(0, 0) = skew(w) * c.A.block<3, 3>(0, 0);
    dv.block<3, 3>(0, 3) = -skew(v);
  }
  return {dq, dv};
}

static Numbers numbers(const Rows & x) { return Numbers(x.data(), x.data() + x.size()); }

int main(int, char ** argv)
{
  const States input(argv[2]);
  const Model m = load(argv[1]);
  Data d(m);
  std::vector<Converted> x;
  for (auto & s : input.states) x.push_back(convert(m, input, s));

  Driver driver;
  auto efforts = [&](int k) { return numbers(x[k].A.transpose() * d.tau); };
  auto accelerations = [&](int k) { return numbers(x[k].A.transpose() * (d.ddq + x[k].c)); };
  auto symmetric = [&](int k, MatrixXd M) {
    M.triangularView<Eigen::StrictlyLower>() = M.transpose();
    return numbers(x[k].A.transpose() * M * x[k].A);
  };
  auto matrix = [&](int k) { return symmetric(k, d.M); };

  driver.add("rnea", [&](int k) { rnea(m, d, x[k].q, x[k].v, x[k].a); }, efforts);
  driver.add("crba", [&](int k) { crba(m, d, x[k].q, Convention::WORLD); }, matrix);
  driver.add("crba_local", [&](int k) { crba(m, d, x[k].q, Convention::LOCAL); }, matrix);
  driver.add("aba", [&](int k) { aba(m, d, x[k].q, x[k].v, x[k].tau, Convention::WORLD); }, accelerations);
  driver.add("aba_local", [&](int k) { aba(m, d, x[k].q, x[k].v, x[k].tau, Convention::LOCAL); }, accelerations);

  // Always of the matrix of state 0, which nobody has to fetch from far; the value is right there only.
  Data prepared(m);
  crba(m, prepared, x[0].q, Convention::WORLD);
  VectorXd y(m.nv);
  driver.add(
    "factor+solve",
    [&](int k) {
      cholesky::decompose(m, prepared);
      y = x[k].tau;
      cholesky::solve(m, prepared, y);
    },
    [&](int k) { return numbers(x[k].A.transpose() * y); });

  // All columns in world axes about the world's origin; a body's Jacobian is gathered from them.
  const JointIndex last = m.getJointId(input.joints.back().name);
  driver.add("jacobians", [&](int k) { computeJointJacobians(m, d, x[k].q); }, [&](int k) {
    Data::Matrix6x J = Data::Matrix6x::Zero(6, m.nv);
    getJointJacobian(m, d, last, LOCAL_WORLD_ALIGNED, J);
    MatrixXd angular_first(6, m.nv);
    angular_first << J.bottomRows<3>(), J.topRows<3>();
    return numbers(angular_first * x[k].A);
  });
  driver.add("minverse", [&](int k) { computeMinverse(m, d, x[k].q); }, [&](int k) { return symmetric(k, d.Minv); });

  auto beside = [](const MatrixXd & a, const MatrixXd & b) {
    Rows both(a.rows(), a.cols() + b.cols());
    both << a, b;
    return numbers(both);
  };
  driver.add(
    "rnea_derivatives", [&](int k) { computeRNEADerivatives(m, d, x[k].q, x[k].v, x[k].a); },
    [&](int k) {
      const Converted & c = x[k];
      MatrixXd M = d.M;
      M.triangularView<Eigen::StrictlyLower>() = M.transpose();
      const auto [c_q, c_v] = carried(c);
      const MatrixXd by_q =
        d.dtau_dq * c.A + d.dtau_dv * turned(c, c.v) + M * (turned(c, c.a + c.c) - c_q);
      const MatrixXd by_v = d.dtau_dv * c.A - M * c_v;
      return beside(c.A.transpose() * by_q + turned_back(c, d.tau), c.A.transpose() * by_v);
    });
  driver.add(
    "aba_derivatives", [&](int k) { computeABADerivatives(m, d, x[k].q, x[k].v, x[k].tau); },
    [&](int k) {
      const Converted & c = x[k];
      MatrixXd W = d.Minv;
      W.triangularView<Eigen::StrictlyLower>() = W.transpose();
      const auto [c_q, c_v] = carried(c);
      const MatrixXd by_q = d.ddq_dq * c.A + d.ddq_dv * turned(c, c.v) + W * turned(c, c.tau) + c_q;
      const MatrixXd by_v = d.ddq_dv * c.A + c_v;
      return beside(c.A.transpose() * by_q + turned_back(c, d.ddq + c.c), c.A.transpose() * by_v);
    });
  return driver.answer(int(x.size()));
}
