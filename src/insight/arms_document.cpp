#include "insight/arms_document.hpp"

#include "files/arm_document.hpp"
#include "studies/answers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace canopy {

Document arms_document(const Space& space, const Optimizer& optimizer, std::size_t most) {
  Document::List arms;
  const std::optional<Evidence> evidence = optimizer.evidence();
  std::vector<std::size_t> order(evidence ? evidence->size() : 0);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(evidence->pulls(b), a) < std::pair(evidence->pulls(a), b);
  });
  for (auto i = order.begin(); i != end; ++i) {
    const ArmEstimate known = evidence->estimate(*i);
    Document table = Document::Table{{"arm", arm_document(space, evidence->arm(*i))},
                                     {"pulls", known.pulls},
                                     {"mean", known.mean},
                                     {"lower", number_or_none(known.interval.lower)},
                                     {"upper", number_or_none(known.interval.upper)}};
    if (evidence->is_barred(*i)) table.set("barred", true);
    arms.push_back(std::move(table));
  }
  return Document::Table{{"arms", std::move(arms)}, {"count", order.size()}};
}

}  // namespace canopy
