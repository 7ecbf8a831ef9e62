#pragma once

/// All of canopy.

#include "canopy/confidence.hpp"   // the formulas of the algorithm
#include "canopy/cover_tree.hpp"   // the tree behind the optimizers
#include "canopy/environment.hpp"  // what can be simulated
#include "canopy/errors.hpp"       // wrong configurations
#include "canopy/garland.hpp"      // the environments of the paper
#include "canopy/hct.hpp"          // the High Confidence Tree
#include "canopy/optimizer.hpp"    // ask, tell, best
#include "canopy/partition.hpp"    // how a set is cut in two, again and again
#include "canopy/random.hpp"       // reproducible random streams
#include "canopy/space.hpp"        // what is tuned
#include "canopy/theory.hpp"       // the paper's bounds as numbers
