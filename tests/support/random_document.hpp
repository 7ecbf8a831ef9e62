#pragma once

#include "files/document.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

namespace canopy {

/// For messages of failed tests.
inline std::ostream& operator<<(std::ostream& stream, const Document& document) {
  if (const Document::Table* table = document.as_table()) {
    stream << "{ ";
    for (const auto& [key, value] : *table) {
      stream << Document(key).excerpt() << " = " << value << ", ";
    }
    return stream << "}";
  }
  if (const Document::List* list = document.as_list()) {
    stream << "[ ";
    for (const Document& each : *list) stream << each << ", ";
    return stream << "]";
  }
  return stream << document.excerpt();
}

}  // namespace canopy

namespace canopy::testing {

/// Valid UTF-8 with characters that are difficult for writers.
[[nodiscard]] inline rc::Gen<std::string> random_text() {
  const auto piece = rc::gen::element<std::string>(
      "a", "Z", "9", "-", "_", " ", ".", "'", "''", "'''", R"(")", R"(""")", "\\", R"(\u0041)", "#",
      "=", "[", "]", "{", "}", ",", "\n", "\r", "\t", "\b", "\f", "\x1b", "\x7f",
      std::string(1, '\0'), "ä", "\u0085", "\u2028", "\ufeff", "\uffff", "\U0001F333",
      "\U0010FFFF");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& each : pieces) text += each;
                        return text;
                      });
}

/// Any finite number: tiny, huge, or round.
[[nodiscard]] inline rc::Gen<double> random_finite() {
  const auto any = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                                [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  const auto round = rc::gen::map(rc::gen::inRange(-1000, 1000), [](int n) { return n / 8.0; });
  return rc::gen::oneOf(rc::gen::suchThat(any, [](double x) { return std::isfinite(x); }), round,
                        rc::gen::element(0.0, -0.0, 1e-7, 1e22, 0.1, 5e-324, 0x1p63));
}

/// A value that both TOML and JSON can represent, with up to `depth` levels of nesting.
[[nodiscard]] inline rc::Gen<Document> random_document(int depth) {
  const auto as_document = [](auto value) { return Document(std::move(value)); };
  auto scalar = rc::gen::oneOf(rc::gen::map(rc::gen::arbitrary<bool>(), as_document),
                               rc::gen::map(rc::gen::arbitrary<std::int64_t>(), as_document),
                               rc::gen::map(random_finite(), as_document),
                               rc::gen::map(random_text(), as_document));
  if (depth == 0) return scalar;
  const auto list = rc::gen::map(
      rc::gen::resize(4, rc::gen::container<Document::List>(random_document(depth - 1))),
      as_document);
  const auto entry = rc::gen::pair(random_text(), random_document(depth - 1));
  const auto table =
      rc::gen::map(rc::gen::resize(4, rc::gen::container<Document::Table>(entry)),
                   [](const Document::Table& entries) {
                     Document result{Document::Table{}};  // for equal keys, the last one is kept
                     for (const auto& [key, value] : entries) result.set(key, value);
                     return result;
                   });
  const auto tables =
      rc::gen::map(rc::gen::resize(3, rc::gen::container<Document::List>(table)), as_document);
  return rc::gen::oneOf(scalar, list, table, tables);
}

[[nodiscard]] inline rc::Gen<Document> random_table(int depth) {
  return rc::gen::suchThat(random_document(depth), [](const Document& document) {
    return document.kind() == Document::Kind::table;
  });
}

}  // namespace canopy::testing
