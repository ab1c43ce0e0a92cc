import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  parseDocument,
} from 'yaml';
import type { Located, LocatedEntry, Problem, Scalar } from './located.ts';

interface Reader {
  readonly fileName: string;
  readonly lines: LineCounter;
  readonly problems: Problem[];
}

/**
 * Reads a YAML 1.2 text as a tree that knows where each key and value stands.
 * `fileName` is how messages name the file. An empty file is an empty tree.
 */
export function readYaml(text: string, fileName: string): Located | readonly Problem[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  const reader: Reader = { fileName, lines, problems: [] };
  for (const { code, pos } of [...document.errors, ...document.warnings]) {
    // The library's own message can quote the file, and with it a secret; its code cannot.
    const what = `not valid YAML: ${code.toLowerCase().replaceAll('_', ' ')}`;
    reader.problems.push({ where: place(reader, pos[0]), key: undefined, what });
  }
  const tree = locate(reader, document.contents, `${fileName}:1:1`);
  return reader.problems.length > 0 ? reader.problems : tree;
}

function place(reader: Reader, offset: number): string {
  const { line, col } = reader.lines.linePos(offset);
  return `${reader.fileName}:${line}:${col}`;
}

function placeOf(reader: Reader, node: unknown, otherwise: string): string {
  const range = (node as ParsedNode | null)?.range;
  return range === undefined || range === null ? otherwise : place(reader, range[0]);
}

function locate(reader: Reader, node: Node | null, otherwise: string): Located {
  const where = placeOf(reader, node, otherwise);
  if (isAlias(node)) reader.problems.push({ where, key: undefined, what: 'aliases (*name) are not taken here' });
  if (isMap(node)) {
    const entries = node.items.map((pair) => entryOf(reader, pair as Pair<Node, Node | null>, where));
    return { where, value: new Map(entries) };
  }
  if (isSeq(node)) return { where, value: node.items.map((item) => locate(reader, item as Node | null, where)) };
  if (isScalar(node)) return { where, value: node.value as Scalar, source: node.source };
  return { where, value: null };
}

function entryOf(reader: Reader, pair: Pair<Node, Node | null>, where: string): [string, LocatedEntry] {
  const key = isScalar(pair.key) ? (pair.key.source ?? String(pair.key.value)) : String(pair.key);
  const keyWhere = placeOf(reader, pair.key, where);
  return [key, { keyWhere, located: locate(reader, pair.value, keyWhere) }];
}
