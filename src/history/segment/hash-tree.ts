import { sha256 } from './segment.ts';

const [leafMark, nodeMark] = [Buffer.of(0), Buffer.of(1)];

export function leafOf(text: string): Buffer {
  return sha256(leafMark, text);
}

/** The hash tree of RFC 6962, section 2.1: from the leaves up to the root, which is missing where there are none. */
export function treeOf(leaves: readonly Buffer[]): (readonly Buffer[])[] {
  const levels = [leaves];
  for (let below = leaves; below.length > 1; below = levels.at(-1)!) {
    // A node without a second child is that child.
    const parentOf = (one: Buffer, other?: Buffer) => (other === undefined ? one : sha256(nodeMark, one, other));
    const count = Math.ceil(below.length / 2);
    levels.push(Array.from({ length: count }, (_, at) => parentOf(below[2 * at]!, below[2 * at + 1])));
  }
  return levels;
}

/** The other child of each node between a leaf and the root, from below. */
export function pathOf(tree: readonly (readonly Buffer[])[], place: number): Buffer[] {
  return tree.slice(0, -1).flatMap((level, height) => level[(place >> height) ^ 1] ?? []);
}
