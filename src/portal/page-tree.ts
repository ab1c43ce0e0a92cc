/** A piece of one of our own pages: text with its entities resolved, or an element. */
export type Node = string | ElementNode;

export interface ElementNode {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Node[];
}

const voidElements = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'wbr']);
const token = /<(?<end>\/)?(?<name>[a-z][a-z0-9]*)(?<rest>[^>]*)>|(?<text>[^<]+)/g;
const attribute = / (?<name>[a-z-]+)="(?<value>[^"]*)"/g;

/** Reads HTML that the templates of this folder made: well-formed, every attribute quoted. Not for any other. */
export function pageTree(html: string): ElementNode {
  const root: ElementNode = { name: 'root', attributes: new Map(), children: [] };
  const open = [root];
  for (const { groups } of html.matchAll(token)) {
    const { end, name, rest = '', text } = groups!;
    const parent = open.at(-1)!;
    if (text !== undefined) parent.children.push(resolved(text));
    else if (end !== undefined) open.pop();
    else if (name !== undefined) {
      const element = { name, attributes: attributesOf(rest), children: [] };
      parent.children.push(element);
      if (!voidElements.has(name)) open.push(element);
    }
  }
  return root;
}

function attributesOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(attribute)].map(({ groups }) => [groups!.name!, resolved(groups!.value!)]));
}

function resolved(text: string): string {
  return text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&middot;', '\u00b7');
}

/** All text within, as a reader sees it. */
export function textOf(node: Node): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}

/** The first element of a name, in the order of the page. */
export function firstNamed(node: Node, name: string): ElementNode | undefined {
  if (typeof node === 'string') return undefined;
  if (node.name === name) return node;
  for (const child of node.children) {
    const found = firstNamed(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
