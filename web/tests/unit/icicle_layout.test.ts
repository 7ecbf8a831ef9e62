import { expect, test } from "vitest";
import type { TreeNode } from "../../src/api/types";
import { mostPulled, neighbour, placed, rowsBelow, wayTo } from "../../src/charts/icicle_layout";

function node(path: string, share: number, pulls = 1): TreeNode {
  return {
    path,
    arm: {},
    pulls,
    mean: 0,
    upper: null,
    bound: null,
    leaf: false,
    depth: path.length,
    share,
    cell: {},
    pulls_in: pulls,
    mean_in: pulls > 0 ? 0 : null,
  };
}

const nodes = [node("1", 0.25), node("", 1), node("0", 0.75, 9), node("00", 0.5, 2), node("01", 0.25, 7)];

test("every cell lies within its parent, as wide as its share", () => {
  const cells = placed(nodes);
  expect(cells.map((cell) => [cell.node.path, cell.left, cell.right])).toEqual([
    ["", 0, 1],
    ["0", 0, 0.75],
    ["1", 0.75, 1],
    ["00", 0, 0.5],
    ["01", 0.5, 0.75],
  ]);
});

test("shares that are missing or do not add up still fill the parent", () => {
  const cells = placed([node("", 1), node("0", NaN), node("1", 0)]);
  expect(cells.map((cell) => cell.right)).toEqual([1, 0.5, 1]);
});

test("without a root there is nothing to draw, and orphans are left out", () => {
  expect(placed([])).toEqual([]);
  expect(placed([node("0", 0.5)])).toEqual([]);
  expect(placed([node("", 1), node("010", 0.1)])).toHaveLength(1);
});

test("a deep tree of thousands of nodes is placed", () => {
  const many = [node("", 1)];
  for (let path = "", share = 0.5; path.length < 2500; path += "1", share /= 2) {
    many.push(node(`${path}0`, share), node(`${path}1`, share));
  }
  const cells = placed(many);
  expect(cells).toHaveLength(5001);
  expect(rowsBelow(cells[0]!)).toBe(2501); // the root exists
});

test("the way to a cell begins at the root", () => {
  const cells = placed(nodes);
  const last = cells[4]!; // five were placed
  expect(wayTo(last).map((cell) => cell.node.path)).toEqual(["", "0", "01"]);
  expect(rowsBelow(cells[0]!)).toBe(3);
});

test("what the server says is in a cell counts", () => {
  const cells = placed([
    { ...node("", 1, 5), pulls_in: 7, mean_in: 2 },
    node("0", 0.5, 3),
    node("1", 0.5, 1),
  ]);
  expect(cells[0]).toMatchObject({ pulls: 7, mean: 2 });
});

test("the most pulled are those whose own arm was, wherever they are in the tree", () => {
  const own = (path: string, pulls: number, inside: number, x: number): TreeNode => ({
    ...node(path, 1, pulls),
    pulls_in: inside,
    arm: { x },
  });
  const cells = placed([own("", 50, 60, 1), own("0", 9, 9, 2), own("1", 1, 1, 3), own("00", 9, 9, 2)]);
  expect(mostPulled(cells, 9).map((cell) => cell.node.pulls)).toEqual([50, 9, 1]);
  const all = placed([own("", 10, 10, 1), own("0", 9, 9, 2), own("1", 1, 1, 3)]);
  expect(mostPulled(all, 9).map((cell) => cell.node.path)).toEqual(["0", "1"]);
});

test("arrows lead up, down to the most pulled, and to the sides", () => {
  const cells = placed(nodes);
  const at = (path: string) => cells.find((cell) => cell.node.path === path)!; // all of them are there
  expect(neighbour(cells, at("0"), "ArrowUp")).toBe(at(""));
  expect(neighbour(cells, at("0"), "ArrowDown")).toBe(at("01"));
  expect(neighbour(cells, at("0"), "ArrowRight")).toBe(at("1"));
  expect(neighbour(cells, at("1"), "ArrowRight")).toBe(at("1"));
  expect(neighbour(cells, at("1"), "ArrowDown")).toBe(at("1"));
});
