#pragma once

/// All of canopy::canopy. The algorithms for comparison are in canopy/family.hpp.

#include "canopy/adaptive.hpp"             // the adaptive tree
#include "canopy/auction.hpp"              // reserve prices
#include "canopy/cart_pole.hpp"            // balancing
#include "canopy/confidence.hpp"           // the formulas of the algorithm
#include "canopy/contextual_function.hpp"  // environments with contexts
#include "canopy/cover_tree.hpp"           // the tree that the optimizers share
#include "canopy/domain.hpp"               // the kinds of parameters
#include "canopy/environment.hpp"          // what can be simulated
#include "canopy/environments.hpp"         // ... by name
#include "canopy/errors.hpp"               // wrong configurations
#include "canopy/evidence.hpp"             // rewards and intervals of every arm
#include "canopy/garland.hpp"              // the environments of the paper
#include "canopy/hct.hpp"                  // the High Confidence Tree
#include "canopy/intervals.hpp"            // intervals that hold at all times
#include "canopy/lqr.hpp"                  // linear-quadratic regulators
#include "canopy/lqr_partial.hpp"          // ... seen through noise
#include "canopy/mdp.hpp"                  // policy search in systems of your own
#include "canopy/moving.hpp"               // environments that change over time
#include "canopy/noisy_function.hpp"       // functions of your own
#include "canopy/optimizer.hpp"            // ask, tell, best
#include "canopy/optimizers.hpp"           // ... by name
#include "canopy/pairs.hpp"           // paired comparison of an arm and a baseline, robust to drift
#include "canopy/partition.hpp"       // recursive partitions of a set
#include "canopy/random.hpp"          // reproducible random streams
#include "canopy/routing.hpp"         // two queues
#include "canopy/space.hpp"           // what is tuned
#include "canopy/test_functions.hpp"  // functions to compare algorithms on
#include "canopy/theory.hpp"          // the paper's bounds as numbers
#include "canopy/turn_optimizer.hpp"  // the base of algorithms of your own
#include "canopy/with_baseline.hpp"   // an optimizer that is compared with a baseline
