import { sha256 } from './segment.ts';

const leafMark = Buffer.of(0);
/** The mark of a node, and its two children. */
const node = Buffer.alloc(65, 1);

export function leafOf(text: string): Buffer {
  return sha256(leafMark, text);
}

/** The hash tree of RFC 6962, section 2.1, over one leaf or more: from them up to the root. */
function levelsOf(leaves: readonly Buffer[]): (readonly Buffer[])[] {
  const levels = [leaves];
  for (let below = leaves; below.length > 1; below = levels.at(-1)!) {
    levels.push(Array.from({ length: Math.ceil(below.length / 2) }, (_, place) => parentOf(below, 2 * place)));
  }
  return levels;
}

/** A node without a second child is that child. */
function parentOf(below: readonly Buffer[], left: number): Buffer {
  const [one, other] = [below[left]!, below[left + 1]];
  if (other === undefined) return one;
  node.set(one, 1);
  node.set(other, 33);
  return sha256(node);
}

/** `undefined` without leaves. */
export function rootOf(leaves: readonly Buffer[]): Buffer | undefined {
  return levelsOf(leaves).at(-1)![0];
}

/** The other child of each node between a leaf and the root, from below. */
export function pathOf(leaves: readonly Buffer[], place: number): Buffer[] {
  return levelsOf(leaves)
    .slice(0, -1)
    .flatMap((level, height) => level[(place >> height) ^ 1] ?? []);
}
