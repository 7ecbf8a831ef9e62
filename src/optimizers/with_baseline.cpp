#include "canopy/with_baseline.hpp"

#include "canopy/detail/reward_map.hpp"
#include "canopy/errors.hpp"
#include "canopy/moments.hpp"
#include "canopy/random.hpp"

#include "optimizers/baseline_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace canopy {
namespace {

constexpr std::uint64_t kFewestRounds = 10;  // fewest rounds for an interval of the baseline's mean
constexpr std::size_t kRoundsOfMove = 4;     // rounds averaged to estimate the level
constexpr std::size_t kFirstBlocks = 2;      // first blocks of the baseline, with a loss budget
constexpr std::uint64_t kFirstTries = 8;     // arms tried first, when nothing is known yet

}  // namespace

WithBaseline::Search::Search(const Search& other) {
  std::unique_ptr<Optimizer> clone = other.optimizer_->clone();
  optimizer_.reset(static_cast<TicketedOptimizer*>(clone.release()));
}

const std::vector<double>& WithBaseline::Open::now() const {
  return is_duel() && length <= visit ? then : arm;
}

std::uint64_t WithBaseline::Open::rest() const {
  return is_duel() && length > visit ? length - visit : length;
}

std::uint64_t WithBaseline::Open::unsettled() const {
  const std::uint64_t done = visit - rest();
  return settle - std::min(settle, done);
}

WithBaseline::WithBaseline(std::unique_ptr<TicketedOptimizer> search, Space space,
                           const Objective& objective, std::vector<double> baseline,
                           const BaselineRule& rule)
    : search_(std::move(search)),
      space_(std::move(space)),
      level_(objective.confidence),
      sign_(objective.direction == Direction::maximize ? 1.0 : -1.0),
      baseline_(std::move(baseline)),
      rule_(rule) {
  if (rule_.loss) loss_.emplace(*rule_.loss);
  throw_unless_usable(rule_, space_, baseline_);
}

// --- asking ----------------------------------------------------------------------------------

/// Whether parts of the current round have not been asked for yet.
bool WithBaseline::is_in_round() const {
  if (rounds_.empty()) return false;
  if (!is_duel_) return asked_ < rule_.pulls;
  return asked_ < rule_.pairs && !is_out(challengers_[*challenger_]);
}

/// Number of pulls of the search until the next round.
std::uint64_t WithBaseline::until_round() const {
  if (rounds_.empty() || is_in_round()) return 0;
  const auto left = [](std::uint64_t all, std::uint64_t done) { return all - std::min(all, done); };
  if (!loss_)
    return std::max(left(pulls_between(rule_, rounds_.size()), since_),
                    left(rule_.first, search_pulls_));
  // The loss is computed from the level of the baseline, which must be known at all times.
  if (rounds_.size() < kFirstBlocks) return 0;
  // Interrupting a visit would waste the pulls discarded before the system had settled.
  const bool is_visiting = visit_ && reserved_.empty();  // pulls in flight are at several arms
  return std::max(is_visiting ? visit_->rest : 0,
                  left(pulls_between(rule_, rounds_.size()), since_));
}

bool WithBaseline::is_round_due(std::uint64_t more) const {
  return rule_.every != 0 && until_round() <= more;
}

Pull WithBaseline::ask(std::uint64_t pulls) {
  if (rule_.every == 0) return ask_search(pulls);
  if (const std::uint64_t until = until_round(); until != 0) {
    return ask_search(std::min(pulls, until));
  }
  if (!is_in_round()) {
    begin_round();
    const bool may_compare = !loss_ || search_pulls_ + waits_ >= rule_.first;
    if (rounds_.size() > 1 && may_compare) choose_challenger();
  }
  if (!is_duel_) {
    const std::uint64_t rest = rule_.pulls - asked_;
    return give({.arm = baseline_, .length = rule_.settle == 0 ? std::min(pulls, rest) : rest});
  }
  const std::vector<double>& challenger = challengers_[*challenger_].arm;
  RandomStream coin({.seed = rule_.seed, .purpose = "order", .run = ++tosses_});
  Open duel{.arm = challenger, .then = baseline_, .length = rule_.visit};
  if (coin.coin()) std::swap(duel.arm, duel.then);
  return give(std::move(duel));
}

/// `open.length` is the number of pulls of one arm.
Pull WithBaseline::give(Open open) {
  const bool has_settled = open.is_wait && open.arm == waits_at_;
  open.settle = has_settled ? 0 : rule_.settle;
  open.visit = open.length + open.settle;
  open.length = open.is_duel() ? 2 * open.visit : open.visit;
  return open_as(std::move(open));
}

/// A pull of the search if it is allowed, else of a safe arm.
Pull WithBaseline::ask_search(std::uint64_t pulls) {
  if (!loss_ && !held_) return search_->ask(pulls);
  if (!held_) hold();
  return may_be_played(*held_) ? let_go() : wait();
}

void WithBaseline::hold(std::uint64_t pulls) {
  const Pull pull = search_->ask(pulls);
  held_ = Held{pull.ticket, {pull.arm.begin(), pull.arm.end()}, tried_ < kFirstTries};
  if (is_visited(held_->arm)) return;
  visit_.reset();
  ++tried_;
}

Pull WithBaseline::let_go() {
  reserve(held_->ticket, held_->arm, held_->is_first);
  const Pull pull = *search_->pull_of(held_->ticket);
  held_.reset();
  return pull;
}

/// Records a pull in flight of the arm: of the current visit, or the first of a new one.
void WithBaseline::reserve(Ticket ticket, const std::vector<double>& arm, bool is_first) {
  if (!loss_) return;
  if (!is_visited(arm)) {
    visit_ = Visit{arm, pulls_of_visit(), worst_loss(arm, is_first)};
  } else if (visit_->rest == 0) {  // the visit is extended
    visit_ = Visit{arm, 1, worst_loss(arm, false)};
  }
  --visit_->rest;
  reserved_[ticket] = visit_->worst;
}

/// Ends the visit of the search because another arm is played next. The search makes a new choice,
/// as all remaining pulls of its turn would be discarded before the system has settled again.
void WithBaseline::end_visit() {
  if (!visit_) return;
  const bool goes_on = held_ && is_visited(held_->arm);
  visit_.reset();
  if (settle() == 0) return;
  if (goes_on) {
    (void)search_->drop(held_->ticket);
    held_.reset();
  }
  search_->finish();
}

Pull WithBaseline::wait() {
  return give({.arm = safe_arm(), .length = rule_.visit, .is_wait = true});
}

/// An arm that is proven to be better than the baseline, else the baseline.
std::vector<double> WithBaseline::safe_arm() const {
  const std::optional<Best> best = search_->best();
  for (const std::size_t i : proven_among(best ? best->arm : std::vector<double>())) {
    if (challengers_[i].arm != refuted_) return challengers_[i].arm;
  }
  return baseline_;
}

/// The largest expected loss of a pull of an arm.
double WithBaseline::worst_loss(const std::vector<double>& arm, bool is_first) const {
  if (!loss_) return 0.0;
  const std::optional<ArmEstimate> known = search_->estimate(arm);
  return known ? loss_->worst_loss(is_first, static_cast<double>(known->pulls), sign_ * known->mean)
               : loss_->worst_loss(is_first, 0.0, 0.0);
}

/// The sum of the largest losses of pulls in flight.
double WithBaseline::reserved() const {
  double sum = 0.0;
  for (const auto& [ticket, worst] : reserved_) sum += worst;
  if (visit_) sum += static_cast<double>(visit_->rest) * visit_->worst;
  for (const auto& [ticket, open] : open_) {
    if (!open.is_duel()) continue;
    const std::vector<double>& challenger = is_challenger_first(open) ? open.arm : open.then;
    sum += static_cast<double>(open.visit) * worst_loss(challenger, false);
  }
  return sum;
}

/// A visit is allowed only as a whole: with fewer pulls, all of them would be discarded.
bool WithBaseline::may_be_played(const Held& held) const {
  if (!loss_ || held.arm == baseline_ || search_->is_barred(held.arm)) return true;
  if (is_visited(held.arm) && visit_->rest != 0) return true;
  if (held.arm == safe_arm()) return true;
  return loss_allows(pulls_to_allow(held), worst_loss(held.arm, held.is_first));
}

/// The pulls of a whole visit, or one if the system is at the arm and has settled.
std::uint64_t WithBaseline::pulls_to_allow(const Held& held) const {
  return is_visited(held.arm) ? 1 : pulls_of_visit();
}

/// Whether the loss stays within its limit if `pulls` pulls and those in flight each lose the
/// largest amount.
bool WithBaseline::loss_allows(std::uint64_t pulls, double worst_of_each) const {
  const auto count = static_cast<double>(pulls);
  const std::uint64_t of_visit = visit_ ? visit_->rest : 0;
  const auto in_flight = static_cast<double>(reserved_.size() + of_visit + open_.size());
  return loss_->allows(count * worst_of_each + reserved(), count, in_flight);
}

Pull WithBaseline::ask_again() {
  const Pull pull = search_->ask_again();
  reserve(pull.ticket, {pull.arm.begin(), pull.arm.end()}, false);
  return pull;
}

/// Whether the recorded pull is a possible result of `ask`. It may not be, since journals may come
/// from other programs.
bool WithBaseline::is_possible(const Pull& earlier) const {
  const std::vector<double> arm(earlier.arm.begin(), earlier.arm.end());
  const std::vector<double> then(earlier.then.begin(), earlier.then.end());
  if (earlier.purpose == Purpose::wait) {
    const bool is_known = arm == baseline_ || find_challenger(arm);
    return earlier.round == 0 && then.empty() && earlier.length != 0 && is_known;
  }
  const bool is_next_round = earlier.round == rounds_.size() + 1;
  if (earlier.round != rounds_.size() && !is_next_round) return false;
  if (earlier.round == 0 || earlier.length <= rule_.settle) return false;
  if (earlier.purpose == Purpose::baseline) return arm == baseline_ && then.empty();
  return earlier.length % 2 == 0 && earlier.length / 2 > rule_.settle && space_.contains(arm) &&
         space_.contains(then) && (arm == baseline_) != (then == baseline_);
}

Pull WithBaseline::ask_as(const Pull& earlier, std::uint64_t pulls, Context /*context*/) {
  if (earlier.purpose == Purpose::search) {
    if (!loss_ && !held_) return search_->ask(std::min(pulls, earlier.length));
    if (!held_) hold(std::min(pulls, earlier.length));
    return let_go();
  }
  if (!is_possible(earlier)) return {};
  if (earlier.purpose == Purpose::wait) {
    if (!held_) hold();
    return open_as({.arm = {earlier.arm.begin(), earlier.arm.end()},
                    .length = earlier.length,
                    .visit = earlier.length,
                    .settle = earlier.length > rule_.visit ? rule_.settle : 0,
                    .is_wait = true});
  }
  Open open{.arm = {earlier.arm.begin(), earlier.arm.end()},
            .then = {earlier.then.begin(), earlier.then.end()},
            .length = earlier.length,
            .visit = earlier.then.empty() ? earlier.length : earlier.length / 2,
            .settle = rule_.settle};
  if (earlier.round > rounds_.size()) begin_round();
  is_duel_ = earlier.purpose == Purpose::duel;
  if (is_duel_) {
    ++tosses_;
    challenger_ = challenger_index(is_challenger_first(open) ? open.arm : open.then);
  }
  return open_as(std::move(open));
}

void WithBaseline::begin_round() {
  end_visit();
  rounds_.emplace_back();
  if (loss_) loss_->begin_block();
  since_ = 0;
  asked_ = 0;
  is_duel_ = false;
}

Pull WithBaseline::open_as(Open open) {
  end_visit();
  if (!open.is_wait) {
    asked_ += open.is_duel() ? 1 : open.length - open.settle;
    open.round = rounds_.size() - 1;
  }
  const Ticket ticket = search_->skip_ticket();
  return pull_of(ticket, open_[ticket] = std::move(open));
}

Pull WithBaseline::pull_of(Ticket ticket, const Open& open) const {
  const bool is_half = open.is_duel() && open.length <= open.visit;
  return {.ticket = ticket,
          .arm = open.now(),
          .length = open.length,
          .purpose = open.is_wait     ? Purpose::wait
                     : open.is_duel() ? Purpose::duel
                                      : Purpose::baseline,
          .then = is_half ? Arm() : Arm(open.then),
          .then_length = open.is_duel() && !is_half ? open.visit : 0,
          .round = open.is_wait ? 0 : open.round + 1,
          .unsettled = open.unsettled()};
}

/// A random number that breaks ties of ranks. It must not depend on rules that may change in later
/// versions.
double WithBaseline::tossed_rank() const {
  return RandomStream({.purpose = "rank", .run = baseline_pulls_}).uniform();
}

// --- challengers -----------------------------------------------------------------------------

std::optional<std::size_t> WithBaseline::find_challenger(const std::vector<double>& arm) const {
  const auto first = challengers_.begin() + static_cast<std::ptrdiff_t>(given_up_);
  const auto found = std::find_if(first, challengers_.end(),
                                  [&](const Challenger& each) { return each.arm == arm; });
  if (found == challengers_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - challengers_.begin());
}

std::size_t WithBaseline::challenger_index(const std::vector<double>& arm) {
  if (const auto known = find_challenger(arm)) return *known;
  challengers_.push_back({.arm = arm});
  return challengers_.size() - 1;
}

WithBaseline::Challenger& WithBaseline::challenger_of(const Open& duel) {
  return challengers_[challenger_index(is_challenger_first(duel) ? duel.arm : duel.then)];
}

double WithBaseline::alpha(std::size_t challenger) const {
  return challenger_alpha(level_, static_cast<double>(challenger + 1));
}

Uplift::Verdict WithBaseline::verdict(std::size_t challenger) const {
  return verdict_of(challengers_[challenger].pairs, alpha(challenger), direction());
}

/// The current challenger stays until its pairs decide, or until it is unpromising. Always
/// comparing the currently best arm would spread the pairs over too many arms.
void WithBaseline::choose_challenger() {
  const std::optional<Best> best = search_->best();
  if (!best || best->arm == baseline_) return;
  bool stays = false;
  if (challenger_) {
    const Challenger& present = challengers_[*challenger_];
    stays = is_still_open(present.pairs, alpha(*challenger_), direction()) && !is_out(present);
  }
  const std::vector<double> next = stays ? challengers_[*challenger_].arm : best->arm;
  const std::optional<std::size_t> known = find_challenger(next);
  if (known && is_out(challengers_[*known])) return;
  const bool is_proven = known && verdict(*known) == Uplift::Verdict::better && next != refuted_;
  const std::uint64_t pulls = rule_.pairs * pulls_of_visit();
  if (loss_ && !is_proven && !loss_allows(pulls, worst_loss(next, false))) return;
  challenger_ = challenger_index(next);
  is_duel_ = true;
}

/// Whether the challenger has failed too often, or probably breaks a limit.
bool WithBaseline::is_out(const Challenger& challenger) const {
  if (challenger.failures >= kMostFailuresOfChallenger || search_->is_barred(challenger.arm))
    return true;
  return is_probably_broken(search_->limit_checks(challenger.arm));
}

// --- telling ---------------------------------------------------------------------------------

void WithBaseline::count_search(Ticket ticket, const Rewards& rewards) {
  waits_at_.clear();
  search_pulls_ += rewards.count;
  since_ += rewards.count;
  if (!loss_) return;
  loss_->add(better_is_more(rewards));
  if (!search_->pull_of(ticket)) reserved_.erase(ticket);
}

/// Negates rewards if the search minimizes, so that larger is better.
Rewards WithBaseline::better_is_more(const Rewards& rewards) const {
  if (sign_ > 0.0) return rewards;
  return {rewards.count, -rewards.sum, rewards.squared_deviations, -rewards.max, -rewards.min};
}

Status WithBaseline::tell(Ticket ticket, double reward) {
  if (const auto found = open_.find(ticket); found != open_.end()) {
    if (!RewardMap::usable(reward)) return Status::not_a_reward;
    return learn(ticket, found->second, Rewards::one(reward));
  }
  if (is_held(ticket)) return Status::unknown_ticket;
  const Status status = search_->tell(ticket, reward);
  if (is_taken(status)) count_search(ticket, Rewards::one(reward));
  return noted(status);
}

Status WithBaseline::tell(Ticket ticket, std::span<const double> rewards) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) {
    if (is_held(ticket)) return Status::unknown_ticket;
    const Status status = search_->tell(ticket, rewards);
    if (is_taken(status) && !rewards.empty()) count_search(ticket, Rewards::of(rewards));
    return noted(status);
  }
  if (rewards.empty()) return Status::impossible_sums;
  if (rewards.size() > found->second.length) return Status::too_many_rewards;
  if (!std::all_of(rewards.begin(), rewards.end(), RewardMap::usable)) return Status::not_a_reward;
  Status status = Status::passed_over;  // unless a reward is learnt
  for (const double reward : rewards) {
    const bool is_learnt =
        learn(ticket, found->second, Rewards::one(reward)) == Status::ok;  // may close the ticket
    if (is_learnt) status = Status::ok;
  }
  return status;
}

Status WithBaseline::tell(Ticket ticket, const Rewards& rewards) {
  if (const auto found = open_.find(ticket); found != open_.end()) {
    return learn(ticket, found->second, rewards);
  }
  if (is_held(ticket)) return Status::unknown_ticket;
  const Status status = search_->tell(ticket, rewards);
  if (is_taken(status)) count_search(ticket, rewards);
  return noted(status);
}

/// Learns rewards of the arm that is to be played now.
Status WithBaseline::learn(Ticket ticket, Open& open, const Rewards& rewards) {
  if (rewards.count > open.rest()) return Status::too_many_rewards;
  if (open.unsettled() != 0) return pass_over(open, rewards);
  waits_at_ = open.is_wait ? open.now() : std::vector<double>();
  const bool is_baseline = open.now() == baseline_;
  const Status status =
      is_baseline ? search_->remember(baseline_, rewards) : search_->observe(open.now(), rewards);
  if (!is_taken(status)) return status;
  leave_search();
  if (open.is_wait) {
    waits_ += rewards.count;
    since_ += rewards.count;
    if (loss_ && is_baseline) loss_->add_waiting(rewards.count);
  } else if (is_baseline) {
    take_baseline(open.round, rewards);
  } else {
    challenger_pulls_ += rewards.count;
  }
  if (loss_ && !is_baseline) loss_->add(better_is_more(rewards));
  open.difference += is_baseline ? -rewards.sum : rewards.sum;
  open.length -= rewards.count;
  (void)noted(status);
  if (open.length != 0) return Status::ok;
  if (open.is_duel() && !open.is_void) {
    challenger_of(open).pairs.add(open.difference / static_cast<double>(open.visit - open.settle));
  }
  open_.erase(ticket);
  return Status::ok;
}

/// Discards rewards from before the system has settled at the arm.
Status WithBaseline::pass_over(Open& open, const Rewards& rewards) {
  if (rewards.count > open.unsettled()) return Status::too_many_rewards;
  const Status status = check(rewards, RewardMap(Objective{}));
  if (status != Status::ok) return status;
  const bool is_baseline = open.now() == baseline_;
  if (open.now() != waits_at_) waits_at_.clear();
  leave_search();
  if (loss_ && !is_baseline) loss_->add(better_is_more(rewards));
  if (loss_ && is_baseline) loss_->add_waiting(rewards.count);
  passed_ += rewards.count;
  if (is_baseline && !open.is_wait) passed_alone_ += rewards.count;
  open.length -= rewards.count;
  return Status::passed_over;
}

void WithBaseline::take_baseline(std::uint64_t round, const Rewards& rewards) {
  baseline_pulls_ += rewards.count;
  const bool had_fired = alarm_.has_fired();
  alarm_.add(rewards.mean(), tossed_rank());
  if (loss_) loss_->add_to_block(round, better_is_more(rewards));
  Round& of = rounds_[round];
  of.to = search_pulls_ + challenger_pulls_ + baseline_pulls_;
  if (of.count == 0) of.from = of.to - rewards.count + 1;
  of.sum += rewards.sum;
  of.count += rewards.count;
  if (had_fired || !alarm_.has_fired()) return;
  const LevelMove seen = move();
  const double size = seen.high.mean - seen.low.mean;
  notice({.pull = pulls(), .size = seen.high.from < seen.low.from ? -size : size});
}

Status WithBaseline::penalize(Ticket ticket, double reward) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) {
    if (is_held(ticket)) return Status::unknown_ticket;
    const std::optional<Pull> pull = search_->pull_of(ticket);
    const bool was_played = pull && !search_->is_barred(pull->arm);
    const Status status = search_->penalize(ticket, reward);
    if (!is_taken(status)) return status;
    waits_at_.clear();
    visit_.reset();
    ++search_pulls_;
    ++since_;
    const auto worst = reserved_.find(ticket);
    if (loss_ && was_played && worst != reserved_.end()) loss_->add_failure(worst->second);
    reserved_.erase(ticket);
    return noted(status);
  }
  if (!RewardMap::usable(reward)) return Status::not_a_reward;
  const Open& open = found->second;
  interrupt();
  if (open.now() != baseline_ && loss_) loss_->add_failure(worst_loss(open.now(), false));
  if (open.now() != baseline_ && !open.is_void) {
    Challenger& challenger = challenger_of(open);
    ++challenger.failures;
    const double largest = challenger.pairs.largest();
    if (open.is_duel() && largest > 0.0) challenger.pairs.add(-sign_ * largest);
  }
  open_.erase(found);
  return Status::ok;
}

Status WithBaseline::drop(Ticket ticket) {
  if (is_held(ticket)) return Status::unknown_ticket;
  reserved_.erase(ticket);
  waits_at_.clear();  // the system may have been set to its arm
  return open_.erase(ticket) != 0 ? Status::ok : noted(search_->drop(ticket));
}

// --- changes of the system -------------------------------------------------------------------

/// Pulls so far, for all purposes.
std::uint64_t WithBaseline::pulls() const {
  return search_->summary().t - 1 + challenger_pulls_ + waits_ + passed_ - passed_alone_;
}

/// Checks whether the search has detected a change by what it was told.
Status WithBaseline::noted(Status status) {
  if (search_->changes() == search_changes_) return status;
  search_changes_ = search_->changes();
  Change change = search_->summary().last_change.value();
  change.pull = pulls();
  best_since_ = change.pull;
  notice(change);
  return status;
}

void WithBaseline::notice(const Change& change) {
  ++changes_;
  last_change_ = change;
  if (change.kind != Change::Kind::level) give_up_challengers();
}

/// Pairs from before a change of the system no longer count as evidence.
void WithBaseline::give_up_challengers() {
  pairs_since_ = last_change_.pull;
  given_up_ = challengers_.size();
  challenger_.reset();
  refuted_.clear();
  is_duel_ = false;
  for (auto& [ticket, open] : open_) open.is_void = open.is_duel();
}

/// Call when the system has had a setting that the search did not ask for.
void WithBaseline::leave_search() {
  visit_.reset();
  search_->interrupt();
}

void WithBaseline::interrupt() {
  waits_at_.clear();
  leave_search();
}

void WithBaseline::end_comparison(bool refuted) {
  const std::vector<double> arm = std::exchange(compared_, {});
  if (arm == baseline_) return;  // the baseline's rewards say nothing about another arm
  refuted_ = refuted ? arm : std::vector<double>();
}

// --- queries ---------------------------------------------------------------------------------

std::optional<Best> WithBaseline::best() const {
  std::optional<Best> best = search_->best();
  if (best && best->since) best->since = best_since_;
  if (!best || baseline_pulls_ == 0 || best->basis == Best::Basis::no_noise) return best;
  return beside_baseline(*best);
}

std::optional<Best> WithBaseline::nearest() const {
  std::optional<Best> nearest = search_->nearest();
  if (nearest && nearest->since) nearest->since = best_since_;
  if (!nearest || baseline_pulls_ == 0) return nearest;
  return beside_baseline(*nearest);
}

std::vector<std::size_t> WithBaseline::proven_among(const std::vector<double>& best) const {
  std::vector<std::size_t> proven;
  for (std::size_t i = given_up_; i < challengers_.size(); ++i) {
    if (verdict(i) == Uplift::Verdict::better && !is_out(challengers_[i])) proven.push_back(i);
  }
  const auto key = [&](std::size_t of) {
    const Challenger& challenger = challengers_[of];
    return std::pair(challenger.arm == best, sign_ * challenger.pairs.mean());
  };
  std::stable_sort(proven.begin(), proven.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return proven;
}

std::vector<Uplift> WithBaseline::proven() const {
  const std::optional<Best> best = search_->best();
  const std::vector<double> best_arm = best ? best->arm : std::vector<double>();
  std::vector<Uplift> uplifts;
  for (const std::size_t i : proven_among(best_arm)) uplifts.push_back(uplift_of(i, best_arm));
  return uplifts;
}

/// The best challenger that is proven to be better than the baseline; else the current one.
std::optional<std::size_t> WithBaseline::told_challenger(const std::vector<double>& best) const {
  const std::vector<std::size_t> proven = proven_among(best);
  if (!proven.empty()) return proven.front();
  const bool has_one = challenger_ && !is_out(challengers_[*challenger_]);
  return has_one ? challenger_ : std::nullopt;
}

std::optional<Uplift> WithBaseline::uplift() const {
  if (baseline_pulls_ == 0) return std::nullopt;
  const std::optional<Best> best = search_->best();
  const std::vector<double> best_arm = best ? best->arm : std::vector<double>();
  const std::optional<std::size_t> told = told_challenger(best_arm);
  if (!told && (!best || best_arm == baseline_)) return std::nullopt;
  return uplift_of(told, best_arm);
}

/// The uplift of a challenger, or of the best arm if it is not a challenger yet.
Uplift WithBaseline::uplift_of(std::optional<std::size_t> challenger,
                               const std::vector<double>& best) const {
  Uplift uplift{.arm = best, .confidence = level_, .fewest = Pairs::fewest(alpha(0))};
  if (challenger) {
    const Pairs& pairs = challengers_[*challenger].pairs;
    uplift.arm = challengers_[*challenger].arm;
    uplift.verdict = verdict(*challenger);
    uplift.difference = pairs.mean();
    uplift.interval = pairs.interval(alpha(*challenger));
    uplift.pairs = pairs.count();
    uplift.fewest = Pairs::fewest(alpha(*challenger));
  }
  uplift.is_best = uplift.arm == best;
  if (!uplift.is_best) {
    const std::optional<ArmEstimate> own = search_->estimate(uplift.arm);
    const std::optional<ArmEstimate> of_best = search_->estimate(best);
    uplift.has_better_mean = own && of_best && sign_ * (own->mean - of_best->mean) > 0.0;
    const std::vector<LimitCheck> checks = search_->limit_checks(uplift.arm);
    const LimitCheck* worst = worst_of(checks);
    uplift.is_less_sure_of_limits = worst != nullptr && worst->deviations < LimitCheck::kEnough;
  }
  uplift.best_is_baseline = best == baseline_;
  if (const auto of_best = find_challenger(best)) {
    uplift.best_pairs = challengers_[*of_best].pairs.count();
    uplift.best_verdict = verdict(*of_best);
  }
  Moments means;
  for (const Round& round : measured_rounds(pairs_since_.value_or(0))) {
    means.add(round.sum / static_cast<double>(round.count));
  }
  uplift.baseline_mean = means.mean;
  uplift.rounds = static_cast<std::uint64_t>(means.count);
  uplift.baseline_pulls = baseline_pulls_;
  if (uplift.rounds >= kFewestRounds) {
    const double half = std::sqrt(means.variance()) * sequence_width(means.count, 1.0 - level_);
    uplift.baseline = {means.mean - half, means.mean + half};
  }
  if (alarm_.has_fired()) uplift.moves = move();
  uplift.since = pairs_since_;
  for (std::size_t i = 0; i < given_up_; ++i) {
    if (verdict(i) == Uplift::Verdict::better) uplift.was_proven = true;
  }
  return uplift;
}

std::optional<Loss> WithBaseline::loss() const {
  if (!loss_) return std::nullopt;
  Loss loss{.lost = loss_->lost(),
            .margin = loss_->margin(),
            .allowed = loss_->allowance(loss_->pulls()),
            .baseline_mean = sign_ * loss_->level(),
            .pulls = static_cast<std::uint64_t>(loss_->pulls()),
            .baseline_is_known = loss_->knows_level()};
  if (!held_ || may_be_played(*held_)) return loss;
  loss.waits_for = held_->arm;
  loss.may_lose = worst_loss(held_->arm, held_->is_first);
  const auto visit = static_cast<double>(pulls_to_allow(*held_));
  const double a_pull = loss_->allowance(1.0);
  const double worst = visit * loss.may_lose + reserved();
  const double missing = loss.lost + loss.margin + worst - loss.allowed - visit * a_pull;
  if (a_pull > 0.0 && missing > 0.0) {
    loss.waits_still = static_cast<std::uint64_t>(std::min(1e15, std::ceil(missing / a_pull)));
  }
  return loss;
}

std::vector<WithBaseline::Round> WithBaseline::measured_rounds(std::uint64_t after) const {
  std::vector<Round> rounds = rounds_;
  std::erase_if(rounds,
                [after](const Round& round) { return round.count == 0 || round.from <= after; });
  return rounds;
}

LevelMove WithBaseline::move() const {
  const std::vector<Round> rounds = measured_rounds();
  const std::size_t length = std::min(kRoundsOfMove, rounds.size());
  LevelMove move;
  for (std::size_t i = 0; i + length <= rounds.size(); ++i) {
    LevelMove::Place place{.from = rounds[i].from, .to = rounds[i + length - 1].to};
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t j = i; j < i + length; ++j) {
      sum += rounds[j].sum;
      count += static_cast<double>(rounds[j].count);
    }
    place.mean = sum / count;
    if (i == 0 || place.mean < move.low.mean) move.low = place;
    if (i == 0 || place.mean > move.high.mean) move.high = place;
  }
  return move;
}

Summary WithBaseline::summary() const {
  Summary summary = search_->summary();
  summary.t = pulls() + 1;
  summary.changes = changes_;
  if (changes_ != 0) summary.last_change = last_change_;
  summary.passed_over += passed_;
  summary.in_flight += open_.size();
  if (held_) --summary.in_flight;
  return summary;
}

std::optional<Pull> WithBaseline::pull_of(Ticket ticket) const {
  if (is_held(ticket)) return std::nullopt;
  const auto found = open_.find(ticket);
  return found != open_.end() ? pull_of(ticket, found->second) : search_->pull_of(ticket);
}

std::vector<Pull> WithBaseline::in_flight() const {
  std::vector<Pull> pulls = search_->in_flight();
  std::erase_if(pulls, [this](const Pull& pull) { return is_held(pull.ticket); });
  for (const auto& [ticket, open] : open_) pulls.push_back(pull_of(ticket, open));
  std::sort(pulls.begin(), pulls.end(),
            [](const Pull& one, const Pull& other) { return one.ticket < other.ticket; });
  return pulls;
}

// --- saving ----------------------------------------------------------------------------------

void WithBaseline::transfer(State& state) {
  std::string settings = "with_baseline-4";
  for (const double coordinate : baseline_) settings += "/" + std::to_string(coordinate);
  state.mark(settings);
  state(challengers_, challenger_, is_duel_, open_, rounds_, asked_, search_pulls_, since_,
        challenger_pulls_, baseline_pulls_, tosses_, alarm_, held_, reserved_, tried_, waits_,
        passed_, passed_alone_, waits_at_, visit_, compared_, refuted_);
  bool has_loss = loss_.has_value();
  state(has_loss, given_up_, changes_, search_changes_, last_change_, best_since_, pairs_since_);
  if (state.restoring()) {
    State::require(has_loss || !loss_);                 // the budget would lack earlier losses
    if (has_loss && !loss_) loss_.emplace(LossRule{});  // read-only use
  }
  if (loss_) state(*loss_);
  if (!state.restoring()) return;
  State::require(!challenger_ || *challenger_ < challengers_.size());
  State::require(!is_duel_ || challenger_);
  for (const Challenger& each : challengers_) State::require(space_.contains(each.arm));
  for (const auto& [ticket, open] : open_) {
    State::require(space_.contains(open.arm) && (open.is_wait || open.round < rounds_.size()) &&
                   open.length != 0 && open.visit > open.settle &&
                   open.length <= (open.is_duel() ? 2 : 1) * open.visit &&
                   (!open.is_duel() || space_.contains(open.then)) &&
                   State::are_finite({open.difference}));
  }
  for (const Round& round : rounds_) State::require(State::are_finite({round.sum}));
  State::require(!held_ || space_.contains(held_->arm));
  State::require(!visit_ || (space_.contains(visit_->arm) && State::are_sizes({visit_->worst})));
  State::require(passed_alone_ <= passed_);
  State::require(given_up_ <= challengers_.size() && (!challenger_ || *challenger_ >= given_up_));
  State::require(!loss_ || loss_->blocks() == rounds_.size());
}

std::string WithBaseline::save() {
  State state;
  transfer(state);
  std::string search = search_->save();
  state.nested(search);
  return state.text();
}

void WithBaseline::restore(std::string_view saved) {
  State state(saved);
  transfer(state);
  std::string search;
  state.nested(search);
  state.end();
  search_->restore(search);
  State::require(!held_ || search_->pull_of(held_->ticket));
}

std::unique_ptr<Optimizer> WithBaseline::clone() const {
  return std::unique_ptr<Optimizer>(new WithBaseline(*this));
}

}  // namespace canopy
