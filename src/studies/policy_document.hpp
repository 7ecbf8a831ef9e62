#pragma once

#include "canopy/options.hpp"
#include "canopy/policy.hpp"

#include "files/document.hpp"
#include "files/names.hpp"

namespace canopy {

/// The fields of a row other than `where`.
template <class Visit>
void visit_fields(PolicyRow& row, Visit&& visit) {
  visit(SettingField{Field{"arm",
                           "the setting for these contexts; left out if there are no rewards yet"}
                         .or_none()},
        row.arm);
  visit(Field{"pulls", "number of pulls in these contexts, of all settings"}, row.pulls);
  visit(Field{"arm_pulls", "number of pulls of the setting in these contexts"}, row.arm_pulls);
  visit(Field{"mean", "mean of its rewards in these contexts; meaningless while arm_pulls is 0"},
        row.mean);
  visit(Field{"interval",
              "confidence interval of the setting's mean over the contexts observed there; left "
              "out: too "
              "few rewards"}
            .or_none(),
        row.interval);
  visit(
      Field{
          "limits",
          "limits on metrics, in the least favourable contexts observed there: whether the setting "
          "keeps them"}
          .or_none(),
      row.limits);
  visit(Field{"breaks_limits", "no setting keeps the limits there; this one exceeds them least"}
            .or_none(),
        row.breaks_limits);
  visit(Field{"may_share",
              "indices, from 0, of neighbouring rows whose setting cannot be ruled out here"}
            .or_none(),
        row.may_share);
}

template <class Visit>
void visit_fields(ContextWeight& weight, Visit&& visit) {
  visit(Field{"splits", "number of times that a region is split along the variable"},
        weight.splits);
  visit(Field{"evidence", "evidence for these splits, in nats"}, weight.evidence);
}

/// A policy in the user's units, the common form for all interfaces:
///
///   {"rows":[{"where":{"hour":{"from":8.0,"to":17.25},"tenant":["a","b"]},"arm":{"ttl":12.0},
///             "pulls":812,"arm_pulls":340,"mean":0.92,"interval":{..},"may_share":[1]},..],
///    "effects":{"hour":[{"from":0.0,"to":0.375,"effect":-0.02},..],
///               "tenant":[{"value":"a","effect":0.1},..]},
///    "weights":{"hour":{"splits":2,"evidence":34.1},..},"moved":0}
///
/// A variable that does not matter to a row is left out of its `where`. If `from` is greater than
/// `to`, the range wraps around the end of the period. A variable without effects has an empty
/// list.
[[nodiscard]] Document policy_document(const Names& names, const Policy& policy);

}  // namespace canopy
