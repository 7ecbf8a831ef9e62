#include "terminal/argument_parser.hpp"

#include <CLI/CLI.hpp>

namespace canopy::terminal {

ArgumentParser ArgumentParser::command(const std::string& name, const std::string& description) {
  return ArgumentParser(*app_->add_subcommand(name, description));
}

void ArgumentParser::option(const std::string& name, std::string& into, const std::string& help) {
  CLI::Option* option = app_->add_option(name, into, help);
  if (!into.empty()) option->capture_default_str();
}

void ArgumentParser::option(const std::string& name, std::optional<std::string>& into,
                            const std::string& help) {
  app_->add_option(name, into, help);
}

void ArgumentParser::option(const std::string& name, std::optional<std::string>& into,
                            const std::string& help, const std::string& group,
                            const std::string& value) {
  app_->add_option(name, into, help)->group(group)->type_name(value);
}

void ArgumentParser::options(const std::string& name, std::vector<std::string>& into,
                             const std::string& help) {
  app_->add_option(name, into, help)->take_all()->allow_extra_args(false);
}

void ArgumentParser::flag(const std::string& name, bool& into, const std::string& help) {
  app_->add_flag(name, into, help)->disable_flag_override();
}

void ArgumentParser::footer(const std::string& text) {
  app_->footer(text);
}

}  // namespace canopy::terminal
