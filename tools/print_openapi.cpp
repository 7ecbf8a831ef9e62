// Prints the OpenAPI document of the service, from which the types of the page are generated.

#include "service/openapi.hpp"

#include <iostream>

int main() {
  std::cout << canopy::service::openapi_document() << '\n';
}
