#include "lower/memory.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/ops.h"
#include "tests/data.h"

namespace voxport::memory_test {
namespace {

Value input(Graph& graph, const std::string& name) {
  return graph.add_input(name, {DType::kFloat32, Shape{Dim::symbol("t"), 4}, {}});
}

// A tensor of the main graph.
Item tensor(Memory& memory, const Value& value) {
  Item item = value;
  memory.own(item);
  return item;
}

// A view that is negated, to tell it from its base.
Item negated_view(Memory& memory, const Item& base) {
  auto cell = std::make_shared<TensorCell>();
  cell->base = std::get<std::shared_ptr<TensorCell>>(base.data);
  cell->view.look = [](const Value& whole) { return Builder(whole.graph()).node("Neg", {whole}); };
  cell->view.put = [](const Value&, const Value& part) {
    return Builder(part.graph()).node("Neg", {part});
  };
  cell->value = cell->view.look(memory.read(*base.cell()));
  memory.own(cell);
  return cell;
}

TEST(Memory, WritesThroughAViewAndShowsTheWriteInOthers) {
  Graph graph;
  Scopes scopes(graph);
  Memory memory(scopes);
  const Item base = tensor(memory, input(graph, "x"));
  const Item view = negated_view(memory, base);
  const Item other = negated_view(memory, base);
  const Value before = memory.read(*other.cell());
  const Value written = input(graph, "y");
  memory.write(*view.cell(), written);
  EXPECT_EQ(memory.read(*view.cell()), written);
  EXPECT_EQ(memory.read(*base.cell()).producer()->input(0), written);
  const Value after = memory.read(*other.cell());
  EXPECT_NE(after, before);
  EXPECT_EQ(after.producer()->input(0), memory.read(*base.cell()));
}

TEST(Memory, UndoesWhatAnInnerGraphChangedOutsideOfIt) {
  Graph graph;
  Scopes scopes(graph);
  Memory memory(scopes);
  const Value x = input(graph, "x");
  const Item outer = tensor(memory, x);
  auto list = std::make_shared<Container>();
  memory.own(list);

  Graph inner;
  scopes.enter(inner, Scopes::Kind::kBranch);
  memory.enter();
  const Value written = Builder(inner).node("Neg", {memory.read(*outer.cell())});
  memory.write(*outer.cell(), written);
  memory.append(list, Number::of_int(3));
  const Memory::Changes changes = memory.changes();
  ASSERT_EQ(changes.written.size(), 1U);
  EXPECT_EQ(changes.written[0].first, outer.cell());
  EXPECT_EQ(changes.written[0].second, written);
  ASSERT_EQ(changes.changed.size(), 1U);
  EXPECT_EQ(list->items.size(), 1U);
  memory.leave();
  EXPECT_EQ(scopes.leave(), std::vector<Value>{x});

  EXPECT_EQ(memory.read(*outer.cell()), x);
  EXPECT_TRUE(list->items.empty());
}

// A loop's body that appends once in each round leaves the list alone, unless it reads it.
TEST(Memory, LeavesWhatALoopAppendsToWhoeverMakesTheLoop) {
  for (const bool is_read : {false, true}) {
    Graph graph;
    Scopes scopes(graph);
    Memory memory(scopes);
    auto list = std::make_shared<Container>();
    memory.own(list);
    Graph body;
    scopes.enter(body, Scopes::Kind::kLoopBody);
    memory.enter();
    memory.append(list, tensor(memory, input(body, "x")));
    if (is_read) memory.note_read(*list);
    const Memory::Changes changes = memory.changes();
    EXPECT_EQ(changes.appended.size(), is_read ? 0U : 1U);
    EXPECT_EQ(changes.changed.size(), is_read ? 1U : 0U);
  }
}

// Along the axis of a list that grows, nothing tells the parts of complex tensors from real ones.
TEST(Memory, PutsNoComplexTensorIntoAListThatGrows) {
  Graph graph, body;
  Scopes scopes(graph);
  Memory memory(scopes);
  const auto list = std::make_shared<Container>();
  memory.own(list);
  scopes.enter(body, Scopes::Kind::kLoopBody);
  memory.enter();
  Item complex = input(body, "x");
  complex.cell()->is_complex = true;
  EXPECT_EQ(message_of([&] { memory.append(list, complex); }),
            "it puts a complex tensor into a list that grows in the run; voxport requires real "
            "ones, as view_as_real() makes them");
}

// Such a list has a copy of each part, which a write would not reach.
TEST(Memory, WritesToNoTensorThatIsInAListWhichGrows) {
  Graph graph, body;
  Scopes scopes(graph);
  Memory memory(scopes);
  const auto list = std::make_shared<Container>();
  list->stacked = input(graph, "parts");
  list->joined_along = 0;
  memory.own(list);
  scopes.enter(body, Scopes::Kind::kLoopBody);
  memory.enter();
  const Item part = input(body, "x");
  memory.own(part);
  memory.append(list, part);
  EXPECT_EQ(message_of([&] { memory.write(*part.cell(), input(body, "y")); }),
            "it writes in place to a tensor that is in a list which grows in the run");
}

TEST(Scopes, CaptureValuesOfOuterGraphsOnceAndCopySmallConstants) {
  Graph graph;
  Scopes scopes(graph);
  const Value x = input(graph, "x");
  const Value two = Builder(graph).int64(2);
  Graph inner;
  scopes.enter(inner, Scopes::Kind::kBranch);
  EXPECT_EQ(scopes.depth(), 2);
  const Value inside = scopes.here(x);
  EXPECT_EQ(&inside.graph(), &inner);
  EXPECT_EQ(scopes.here(x), inside);
  EXPECT_TRUE(scopes.here(two).constant());
  EXPECT_EQ(scopes.leave(), std::vector<Value>{x});
  EXPECT_EQ(&scopes.graph(), &graph);
}

}  // namespace
}  // namespace voxport::memory_test
