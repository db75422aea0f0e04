// Inputs of an operation that name items of the same kind: the two players of a match, or two accounts of a transfer.
// An operation that writes both of their items refuses a call that names one item twice, so a rehearsal must also call
// it with different ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rehearsal/calls.h"

namespace trestle::rehearsal {

class RivalInputs {
 public:
  RivalInputs(const design::Design& design, const Drafts& drafts, const design::Operation& operation);

  // Whether two rivals have the same value, or a list has a member twice.
  bool has_equal(const runtime::Plain& inputs) const;
  // The inputs with a different value for each rival, in all members of a list, of sample items where possible.
  runtime::Plain apart(const runtime::Plain& inputs) const;

 private:
  // An input, or a member of the records of a list.
  struct Name {
    std::string input;
    std::string member;  // empty: the input itself
    bool operator==(const Name&) const = default;
  };
  // The inputs that give values to one field of an entity's key.
  struct Group {
    const design::Entity* entity;
    const design::Field* field;
    std::vector<Name> names;
  };

  void note(const std::string& entity, const std::vector<design::Binding>& bindings,
            const std::map<std::string, std::string>& loops);
  void note_steps(const std::vector<design::Step>& steps, const std::map<std::string, std::string>& loops);
  runtime::Plain other_value(const Group& group, const std::vector<runtime::Plain>& used) const;
  bool set_apart(const Group& group, const std::string& list, runtime::Plain& values,
                 std::vector<runtime::Plain>& used) const;

  const design::Design& design_;
  const Drafts& drafts_;
  std::vector<Group> groups_;
};

}  // namespace trestle::rehearsal
