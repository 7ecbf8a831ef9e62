#include "insight/answer_schemas.hpp"

#include "files/schema.hpp"
#include "insight/best_answer.hpp"
#include "insight/history_document.hpp"
#include "studies/policy_document.hpp"

namespace canopy {

Document answer_schemas() {
  return Document::Table{
      {"Best", schema_of<BestAnswer>("The recommended arm, in the user's units.")},
      {"Learnt", schema_of<Learnt>("What the model of the adaptive tree has learnt.")},
      {"PolicyRow", schema_of<PolicyRow>("The setting for one region of contexts.")},
      {"ContextWeight",
       schema_of<ContextWeight>("How much the best setting depends on a variable.")},
      {"Summary", schema_of<Summary>("The progress of a study.")},
      {"Node", schema_of<NodeView>("A node of the tree, in the user's units.")},
      {"History",
       schema_of<HistoryAnswer>("Rewards over time, in columns of equal length, with one element "
                                "for each bucket with rewards.")}};
}

}  // namespace canopy
