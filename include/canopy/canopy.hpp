#pragma once

/// All of canopy::canopy.

#include "canopy/adaptive.hpp"            // the adaptive tree
#include "canopy/auction.hpp"             // reserve prices
#include "canopy/cart_pole.hpp"           // balancing
#include "canopy/confidence.hpp"          // the formulas of the algorithm
#include "canopy/cover_tree.hpp"          // the tree that the optimizers share
#include "canopy/doo.hpp"                 // deterministic optimistic optimization
#include "canopy/environment.hpp"         // what can be simulated
#include "canopy/environments.hpp"        // ... by name
#include "canopy/errors.hpp"              // wrong configurations
#include "canopy/evidence.hpp"            // what is known of every arm
#include "canopy/garland.hpp"             // the environments of the paper
#include "canopy/gpo.hpp"                 // GPO, PCT and VPCT: an algorithm with many smoothnesses
#include "canopy/grid.hpp"                // a grid under UCB1
#include "canopy/hct.hpp"                 // the High Confidence Tree
#include "canopy/hoo.hpp"                 // hierarchical optimistic optimization
#include "canopy/intervals.hpp"           // intervals that hold at all times
#include "canopy/kl_ucb.hpp"              // a grid under KL-UCB
#include "canopy/lqr.hpp"                 // linear-quadratic regulators
#include "canopy/lqr_partial.hpp"         // ... seen through noise
#include "canopy/mdp.hpp"                 // policy search in systems of your own
#include "canopy/noisy_function.hpp"      // functions of your own
#include "canopy/optimizer.hpp"           // ask, tell, best
#include "canopy/optimizers.hpp"          // ... by name
#include "canopy/partition.hpp"           // how a set is cut into smaller and smaller parts
#include "canopy/poo.hpp"                 // POO: HOO with many smoothnesses at once
#include "canopy/power.hpp"               // PoWER
#include "canopy/random.hpp"              // reproducible random streams
#include "canopy/random_search.hpp"       // random arms
#include "canopy/routing.hpp"             // two queues
#include "canopy/sequool.hpp"             // going down once
#include "canopy/soo.hpp"                 // simultaneous optimistic optimization
#include "canopy/space.hpp"               // what is tuned
#include "canopy/stosoo.hpp"              // ... under noise
#include "canopy/stroquool.hpp"           // going down once under noise
#include "canopy/successive_halving.hpp"  // a grid of which half goes in each round
#include "canopy/test_functions.hpp"      // functions to compare algorithms on
#include "canopy/theory.hpp"              // the paper's bounds as numbers
#include "canopy/thompson.hpp"            // a grid under Thompson sampling
#include "canopy/thoo.hpp"                // truncated HOO
#include "canopy/turn_optimizer.hpp"      // the base of algorithms of your own
#include "canopy/vhct.hpp"                // HCT that learns the noise
#include "canopy/vroom.hpp"               // random cells by rank
#include "canopy/zooming.hpp"             // the zooming algorithm
