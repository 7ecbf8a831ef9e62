#include "studies/system.hpp"

#include "core/text.hpp"
#include "studies/answers.hpp"
#include "systems/excerpt.hpp"
#include "systems/number.hpp"

namespace canopy {
namespace {

std::string value_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return to_text(std::get<double>(value));
}

Values values_of(const Space& space, Arm arm) {
  Values values;
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    values.emplace_back(space.parameters()[i].name, value_text(space.value(arm, i)));
  }
  return values;
}

}  // namespace

System::System(const SystemSpecification& specification, const Space& space,
               const std::atomic<bool>* stop)
    : specification_(specification), space_(space), stop_(stop) {
  const bool shell = specification_.shell;
  if (specification_.apply) apply_.emplace(*specification_.apply, shell);
  if (specification_.measure) measure_.emplace(*specification_.measure, shell);
  if (specification_.process) {
    process_ = std::make_unique<Coprocess>(CommandLine(*specification_.process, shell).words({}));
  }
}

RunLimits System::limits_for(Arm arm) const {
  return {.timeout_seconds = specification_.options.timeout_seconds,
          .stop = stop_,
          .environment = {{"CANOPY_ARM", arm_text(space_, arm)}}};
}

std::optional<SystemFailure> System::apply(Arm arm, const RunLimits& limits) {
  if (!apply_) return std::nullopt;
  const CommandResult result = run_command(apply_->words(values_of(space_, arm)), limits);
  if (result.succeeded()) return std::nullopt;
  return SystemFailure{"apply: " + result.describe()};
}

std::optional<SystemFailure> System::apply(Arm arm) {
  return apply(arm, limits_for(arm));
}

std::optional<SystemFailure> System::apply_at_the_end(Arm arm) {
  RunLimits limits = limits_for(arm);
  limits.stop = nullptr;
  if (specification_.apply || !process_) return apply(arm, limits);
  const CommandResult result = process_->exchange(request_for(arm), limits);
  if (result.succeeded()) return std::nullopt;
  return SystemFailure{"process: " + result.describe()};
}

std::string System::request_for(Arm arm) const {
  return "{\"arm\": " + arm_text(space_, arm) + "}";
}

std::variant<double, SystemFailure> System::measure(Arm arm) {
  const RunLimits limits = limits_for(arm);
  const char* what = process_ ? "process: " : "measure: ";
  const CommandResult result = process_
                                   ? process_->exchange(request_for(arm), limits)
                                   : run_command(measure_->words(values_of(space_, arm)), limits);
  if (!result.succeeded()) return SystemFailure{what + result.describe()};
  if (const auto reward = reward_in(result.output)) return *reward;
  return SystemFailure{what + ("did not print a number: \"" + excerpt(result.output) + "\"")};
}

}  // namespace canopy
