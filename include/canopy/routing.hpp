#pragma once

#include "canopy/mdp.hpp"
#include "canopy/options.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

struct RoutingOptions {
  // Each from 0.001 to 1000.
  double arrival_rate =
      1.0;                  ///< Jobs per unit of time, at most 90 % of the capacity of both queues.
  double first_rate = 1.2;  ///< Jobs per unit of time that the first queue serves.
  double second_rate = 0.6;  ///< Jobs per unit of time that the second queue serves.
  double patience = 3.0;     ///< The delay at which a job is worth 1/e.
};

template <class Visit>
void visit_fields(RoutingOptions& options, Visit&& visit) {
  visit(Field{"arrival_rate", "jobs per unit of time", kAroundOne}, options.arrival_rate);
  visit(Field{"first_rate", "jobs the first queue serves per unit of time", kAroundOne},
        options.first_rate);
  visit(Field{"second_rate", "jobs the second queue serves per unit of time", kAroundOne},
        options.second_rate);
  visit(Field{"patience", "the delay at which a job is worth 1/e", kAroundOne}, options.patience);
}

/// The work waiting in each queue when a job arrives.
struct Workloads {
  double first = 0.0;
  double second = 0.0;
};

enum class Queue { first, second };

/// Two queues, first come first served, with exponential service times and Poisson arrivals. A step
/// is one job: it is sent to a queue, waits for the work ahead of it and is served, and its reward
/// is exp(-delay / patience). Then time passes until the next job arrives.
struct RoutingProcess {
  using State = Workloads;
  using Observation = Workloads;
  using Action = Queue;

  double arrival_rate = 1.0;
  double first_rate = 1.2;
  double second_rate = 0.6;
  double patience = 3.0;

  /// Both queues are empty.
  [[nodiscard]] Transition<State> start(RandomStream& /*random*/) const { return {}; }

  [[nodiscard]] Transition<State> step(State work, Queue queue, RandomStream& random) const {
    const bool first = queue == Queue::first;
    double& line = first ? work.first : work.second;
    line += random.exponential() / (first ? first_rate : second_rate);
    const double reward = std::exp(-line / patience);
    const double pause = random.exponential() / arrival_rate;
    work.first = std::max(0.0, work.first - pause);
    work.second = std::max(0.0, work.second - pause);
    return {reward, work, work};
  }
};

/// Sends a fraction theta of the jobs to the first queue, at random.
struct RoutingPolicy {
  Queue operator()(Arm theta, const Workloads& /*work*/, RandomStream& random) const {
    return random.uniform() < theta[0] ? Queue::first : Queue::second;
  }
};

/// Adaptive routing. With a fixed fraction each queue is an M/M/1 queue, whose delays are
/// exponential, so f(theta) = 1 - s (theta / (m1 - l theta) + (1 - theta) / (m2 - l (1 - theta)))
/// with s = 1 / patience, l the arrival rate, m_i = rate_i + s. Its maximum is the square-root rule
/// for the rates m_i: l theta = m1 - (m1 + m2 - l) sqrt(m1) / (sqrt(m1) + sqrt(m2)). Fractions that
/// load a queue by more than 95 % are not in the box. Queues are unbounded, so the mixing time has
/// no bound.
class Routing final : public PolicyEnvironment<RoutingProcess, RoutingPolicy, SteadyEnvironment> {
 public:
  /// Throws ConfigurationError.
  explicit Routing(const RoutingOptions& options = {});

  [[nodiscard]] double mean_reward(Arm arm) const override;
  [[nodiscard]] Optimum optimum() const override;
};

}  // namespace canopy
