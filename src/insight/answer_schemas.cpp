#include "insight/answer_schemas.hpp"

#include "files/schema.hpp"
#include "insight/best_answer.hpp"
#include "insight/history_document.hpp"

namespace canopy {

Document answer_schemas() {
  return Document::Table{
      {"Best", schema_of<BestAnswer>("The arm to recommend, in the user's units.")},
      {"Learnt", schema_of<Learnt>("What the model of the adaptive tree has learnt.")},
      {"Summary", schema_of<Summary>("Where a study is.")},
      {"Node", schema_of<NodeView>("A node of the tree, in the user's units.")},
      {"History", schema_of<HistoryAnswer>("Rewards over time, in columns of equal length: a place "
                                           "for each bucket with rewards.")}};
}

}  // namespace canopy
