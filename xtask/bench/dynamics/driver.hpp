// What the rivals' drivers share: the states, the clock, and the conversation with xtask.
//
// A driver is started as `driver ROBOT STATES` and answers on standard output, one line per line read:
//
//     list              names of the algorithms it has
//     value NAME k      the result at state k, numbers by rows, in our order and conventions
//     time NAME us      nanoseconds per call over at least `us` microseconds, states cycled
//
// Times are CPU time of the thread.
#pragma once

#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Numbers = std::vector<double>;

// A joint of the robot: its name and its coordinates, in the order of our q and v.
struct Joint
{
  std::string name;
  int nq, nv;
};

struct State
{
  Numbers q, v, a, tau;
};

struct States
{
  int nq, nv;
  std::vector<Joint> joints;
  std::vector<State> states;

  // nq nv joints states; a line per joint; q, v, a, tau of each state.
  explicit States(const char * path)
  {
    std::ifstream file(path);
    size_t number_of_joints, number_of_states;
    file >> nq >> nv >> number_of_joints >> number_of_states;
    joints.resize(number_of_joints);
    for (auto & j : joints) file >> j.name >> j.nq >> j.nv;
    for (size_t k = 0; k < number_of_states; ++k)
    {
      State s{Numbers(nq), Numbers(nv), Numbers(nv), Numbers(nv)};
      for (auto * x : {&s.q, &s.v, &s.a, &s.tau})
        for (double & number : *x) file >> number;
      states.push_back(s);
    }
    if (!file) throw std::runtime_error(std::string(path) + ": not a file of states");
  }
};

inline double cpu_nanoseconds()
{
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

class Driver
{
  struct Algorithm
  {
    std::function<void(int)> pass; // over states 0..n
    std::function<Numbers(int)> value;
  };
  std::map<std::string, Algorithm> algorithms;

public:
  // `call(k)` is what is timed; `value(k)`, after a call, is what came out.
  template<class Call, class Value>
  void add(const std::string & name, Call call, Value value)
  {
    auto pass = [call](int n) { for (int k = 0; k < n; ++k) call(k); };
    algorithms[name] = {pass, [call, value](int k) { call(k); return value(k); }};
  }

  int answer(int number_of_states)
  {
    std::cout.precision(17);
    for (std::string line, verb, name; std::getline(std::cin, line);)
    {
      std::istringstream words(line);
      words >> verb >> name;
      if (verb == "list")
        for (auto & entry : algorithms) std::cout << entry.first << ' ';
      else if (verb == "value" && algorithms.count(name))
      {
        int k = 0;
        words >> k;
        for (double x : algorithms[name].value(k)) std::cout << x << ' ';
      }
      else if (verb == "time" && algorithms.count(name))
      {
        double microseconds = 0;
        words >> microseconds;
        auto & pass = algorithms[name].pass;
        pass(number_of_states);
        long calls = 0;
        double start = cpu_nanoseconds(), spent = 0;
        for (; spent < 1e3 * microseconds; spent = cpu_nanoseconds() - start)
        {
          pass(number_of_states);
          calls += number_of_states;
        }
        std::cout << spent / double(calls);
      }
      else
        return 2;
      std::cout << std::endl;
    }
    return 0;
  }
};
