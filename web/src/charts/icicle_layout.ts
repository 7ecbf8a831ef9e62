import type { TreeNode } from "../api/types";

/** A node with its position: from `left` to `right`, both from 0 to 1, in the row of its depth. */
export interface Placed {
  node: TreeNode;
  left: number;
  right: number;
  depth: number;
  /** Pulls of the node and its descendants. */
  pulls: number;
  /** The mean reward of these pulls; null if there are none. */
  mean: number | null;
  parent: Placed | null;
  children: Placed[];
}

/** Places every node within its parent, with a width proportional to its share; the root first, then row by row. */
export function placed(nodes: TreeNode[]): Placed[] {
  const children = new Map<string, TreeNode[]>();
  let root: TreeNode | undefined;
  for (const node of nodes) {
    if (node.path === "") root = node;
    else {
      const above = node.path.slice(0, -1);
      const siblings = children.get(above);
      if (siblings) siblings.push(node);
      else children.set(above, [node]);
    }
  }
  if (!root) return [];
  const all: Placed[] = [cellOf(root, 0, 1, null)];
  for (let i = 0; i < all.length; ++i) {
    const parent = all[i];
    if (!parent) break;
    const inside = (children.get(parent.node.path) ?? []).sort((a, b) => (a.path < b.path ? -1 : 1));
    const total = inside.reduce((sum, node) => sum + shareOf(node), 0);
    let left = parent.left;
    for (const node of inside) {
      const width = total > 0 ? shareOf(node) / total : 1 / inside.length;
      const right = left + width * (parent.right - parent.left);
      const child = cellOf(node, left, right, parent);
      parent.children.push(child);
      all.push(child);
      left = right;
    }
  }
  return all;
}

function cellOf(node: TreeNode, left: number, right: number, parent: Placed | null): Placed {
  const { pulls_in: pulls, mean_in: mean } = node;
  const depth = parent ? parent.depth + 1 : 0;
  return { node, left, right, depth, pulls, mean, parent, children: [] };
}

/** Whether a node counts the pulls of its own setting only, without those of its descendants. */
function countsOwn({ node, children, pulls }: Placed): boolean {
  const below = children.some((child) => child.pulls > 0);
  return node.pulls > 0 && (!below || node.pulls < pulls);
}

/** The cells whose own setting has the most pulls; cells that share a setting count once. */
export function mostPulled(cells: Placed[], most: number): Placed[] {
  const seen = new Set<string>();
  return cells
    .filter(countsOwn)
    .sort((a, b) => b.node.pulls - a.node.pulls)
    .filter(({ node }) => {
      const arm = JSON.stringify(node.arm);
      return !seen.has(arm) && seen.add(arm);
    })
    .slice(0, most);
}

const shareOf = (node: TreeNode) => (Number.isFinite(node.share) && node.share > 0 ? node.share : 0);

/** The path from the root to a cell, both included. */
export function wayTo(cell: Placed): Placed[] {
  const way: Placed[] = [];
  for (let at: Placed | null = cell; at; at = at.parent) way.unshift(at);
  return way;
}

/** The number of rows that a cell and its descendants take. */
export function rowsBelow(cell: Placed): number {
  let deepest = cell.depth;
  const open = [cell];
  for (let at = open.pop(); at; at = open.pop()) {
    deepest = Math.max(deepest, at.depth);
    open.push(...at.children);
  }
  return deepest - cell.depth + 1;
}

/** The cell that an arrow key leads to, or the same one. */
export function neighbour(all: Placed[], cell: Placed, key: string): Placed {
  switch (key) {
    case "ArrowUp":
      return cell.parent ?? cell;
    case "ArrowDown":
      return cell.children.reduce(
        (best, child) => (child.pulls > best.pulls ? child : best),
        cell.children[0] ?? cell,
      );
    case "ArrowLeft":
    case "ArrowRight": {
      const row = all.filter((other) => other.depth === cell.depth);
      const step = key === "ArrowLeft" ? -1 : 1;
      return row[row.indexOf(cell) + step] ?? cell;
    }
    default:
      return cell;
  }
}
