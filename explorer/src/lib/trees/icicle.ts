// Layout of an icicle: a row for each level, in it a cell for each node, as wide as its share of the leaves.

export interface Branch {
  id: string;
  label: string;
  size: number;
  children: Branch[];
  /** Number of smaller children that are not told. */
  folded?: number;
}

export interface Cell {
  /** Node of the cell; undefined where several siblings are too narrow to be told apart. */
  node: Branch | undefined;
  /** Node above it. */
  parent: Branch;
  row: number;
  /** Left edge and width, as shares of the whole. */
  left: number;
  width: number;
  /** Number of its branch where the tree first parts, from which its colour comes; -1 for several branches. */
  branch: number;
  /** Nodes that it stands for: one, or the narrow siblings. */
  count: number;
}

/**
 * Returns the cells below a node, row by row: siblings by size, the largest first, or in the order that they have.
 * Those narrower than `least`, a share of the whole, are one cell behind the others.
 */
export function icicle(root: Branch, rows: number, least: number, inOrder = false): Cell[] {
  const cells: Cell[] = [];
  const place = (parent: Branch, row: number, from: number, width: number, branch: number | undefined) => {
    const told = parent.children.reduce((sum, { size }) => sum + size, 0);
    const rest = parent.folded ? Math.max(0, parent.size - told) : 0;
    const whole = told + rest;
    if (row >= rows || !whole) return;
    let left = from;
    let narrow = whole && (width * rest) / whole;
    let count = rest ? (parent.folded ?? 0) : 0;
    const ordered = parent.children.map((node, place) => ({ node, place }));
    if (!inOrder) ordered.sort((one, other) => other.node.size - one.node.size);
    for (const { node, place: number } of ordered) {
      const own = (width * node.size) / whole;
      if (own < least && ordered.length > 1) {
        narrow += own;
        count += 1;
        continue;
      }
      const hue = branch ?? (ordered.length > 1 ? number : undefined);
      cells.push({ node, parent, row, left, width: own, branch: hue ?? 0, count: 1 });
      place(node, row + 1, left, own, hue);
      left += own;
    }
    if (count) cells.push({ node: undefined, parent, row, left, width: narrow, branch: branch ?? -1, count });
  };
  place(root, 0, 0, 1, undefined);
  return cells.sort((one, other) => one.row - other.row || one.left - other.left);
}

/** Returns the nodes from the root down to one, where each has the next alone; the root if there is no such node. */
export function wayTo<Node extends { id: string; children: Node[] }>(root: Node, id: string | undefined): Node[] {
  const way = [root];
  for (let node = root; id !== undefined && node.id !== id; way.push(node)) {
    const [next] = node.children;
    if (!next || node.children.length > 1) return [root];
    node = next;
  }
  return way;
}

/** Returns each way from below the root down to a lowest node. */
export function waysOf<Node extends { children: Node[] }>(root: Node): Node[][] {
  return root.children.flatMap((child) => {
    const further = waysOf(child);
    return further.length ? further.map((way) => [child, ...way]) : [[child]];
  });
}

export type Step = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

/** Returns the cell that an arrow key leads to from one, or the same. */
export function stepFrom(cells: readonly Cell[], from: Cell, step: Step): Cell {
  const middle = from.left + from.width / 2;
  const row = cells.filter((cell) => cell.row === from.row + (step === "ArrowDown" ? 1 : step === "ArrowUp" ? -1 : 0));
  if (step === "ArrowLeft" || step === "ArrowRight") {
    return row[row.indexOf(from) + (step === "ArrowLeft" ? -1 : 1)] ?? from;
  }
  if (step === "ArrowUp") return row.find((cell) => cell.node === from.parent) ?? from;
  const below = row.filter((cell) => cell.parent === from.node);
  return below.find((cell) => cell.left + cell.width > middle) ?? below[0] ?? from;
}
