#pragma once

#include "canopy/options.hpp"
#include "canopy/policy.hpp"

#include "files/document.hpp"
#include "files/names.hpp"

namespace canopy {

/// What is said of a row beside `where`.
template <class Visit>
void visit_fields(PolicyRow& row, Visit&& visit) {
  visit(SettingField{Field{"arm", "what to set there; left out: nothing was told yet"}.or_none()},
        row.arm);
  visit(Field{"pulls", "in these contexts, of all arms"}, row.pulls);
  visit(Field{"arm_pulls", "of the arm, in these contexts"}, row.arm_pulls);
  visit(Field{"mean", "of its rewards there; says nothing while arm_pulls is 0"}, row.mean);
  visit(Field{"interval",
              "of what the arm earns in the mean over the contexts that come there; left out: too "
              "few rewards"}
            .or_none(),
        row.interval);
  visit(Field{"limits",
              "of metrics, where the contexts that have come there suit them least: whether the "
              "arm keeps them"}
            .or_none(),
        row.limits);
  visit(Field{"breaks_limits", "no setting keeps them there: it is beyond them least"}.or_none(),
        row.breaks_limits);
  visit(Field{"may_share",
              "the places, from 0, of neighbouring rows whose arm cannot be ruled out here"}
            .or_none(),
        row.may_share);
}

template <class Visit>
void visit_fields(ContextWeight& weight, Visit&& visit) {
  visit(Field{"splits", "of a region in two along the variable"}, weight.splits);
  visit(Field{"evidence", "for these splits, in nats"}, weight.evidence);
}

/// A policy in the user's units, as everything that shows one has it:
///
///   {"rows":[{"where":{"hour":{"from":8.0,"to":17.25},"tenant":["a","b"]},"arm":{"ttl":12.0},
///             "pulls":812,"arm_pulls":340,"mean":0.92,"interval":{..},"may_share":[1]},..],
///    "effects":{"hour":[{"from":0.0,"to":0.375,"effect":-0.02},..],
///               "tenant":[{"value":"a","effect":0.1},..]},
///    "weights":{"hour":{"splits":2,"evidence":34.1},..},"moved":0}
///
/// Variables that do not matter to a row are left out of its `where`. Where `from` is the larger
/// end, the row goes through the end of the period. The effects of a variable that has none are an
/// empty list.
[[nodiscard]] Document policy_document(const Names& names, const Policy& policy);

}  // namespace canopy
