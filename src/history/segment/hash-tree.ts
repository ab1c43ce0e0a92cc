import { hash } from 'node:crypto';

const hashBytes = 32;
const nodeMark = 1;

/** The hash of a leaf, a byte a character: a text is made in half the time of a buffer. */
export function leafOf(text: string): string {
  return hash('sha256', `\0${text}`, 'latin1');
}

/**
 * The hash tree of RFC 6962, section 2.1: its levels from the leaves to the root, each its hashes in a row. The root of
 * no leaves has no bytes.
 */
export function treeOf(leaves: readonly string[]): Buffer[] {
  const levels: Buffer[] = [Buffer.from(leaves.join(''), 'latin1')];
  for (let below = levels[0]!; below.length > hashBytes; below = levels.at(-1)!) levels.push(levelAbove(below));
  return levels;
}

function levelAbove(below: Buffer): Buffer {
  const above = Buffer.alloc(Math.ceil(below.length / (2 * hashBytes)) * hashBytes);
  const node = Buffer.alloc(1 + 2 * hashBytes, nodeMark);
  let at = 0;
  for (; at + 2 * hashBytes <= below.length; at += 2 * hashBytes) {
    below.copy(node, 1, at, at + 2 * hashBytes);
    above.write(hash('sha256', node, 'latin1'), at / 2, 'latin1');
  }
  // A node without a second child is that child.
  below.copy(above, at / 2, at);
  return above;
}

/** The other child of each node between a leaf and the root, from below. */
export function pathOf(tree: readonly Buffer[], place: number): Buffer[] {
  return tree.slice(0, -1).flatMap((level, height) => {
    const at = ((place >> height) ^ 1) * hashBytes;
    return at < level.length ? level.subarray(at, at + hashBytes) : [];
  });
}
