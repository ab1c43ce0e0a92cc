import { sha256 } from './segment.ts';

const [leafMark, nodeMark] = [Buffer.of(0), Buffer.of(1)];

export function leafOf(text: string): Buffer {
  return sha256(leafMark, text);
}

/** The hash tree of RFC 6962, section 2.1, over one leaf or more: from them up to the root. */
function levelsOf(leaves: readonly Buffer[]): (readonly Buffer[])[] {
  const levels = [leaves];
  for (let below = leaves; below.length > 1; below = levels.at(-1)!) {
    // A node without a second child is that child.
    const parentOf = (left: number) =>
      left + 1 < below.length ? sha256(nodeMark, below[left]!, below[left + 1]!) : below[left]!;
    levels.push(Array.from({ length: Math.ceil(below.length / 2) }, (_, place) => parentOf(2 * place)));
  }
  return levels;
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
