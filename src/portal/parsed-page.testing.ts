import assert from 'node:assert/strict';

/** An element's start, with its attributes as text a browser would see. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** The text within, entities resolved; complete once the page is parsed. */
  text: string;
}

const voidElements = new Set(['meta', 'wbr', 'link', 'br', 'hr', 'img', 'input']);
const token = /<!doctype html>|<(?<end>\/)?(?<name>[a-z][a-z0-9]*)(?<rest>(?: [a-z-]+="[^"<>]*")*)>|(?<text>[^<]+)/y;
const entities: Readonly<Record<string, string>> = { middot: '\u00b7' };

/**
 * Reads a page more strictly than a browser: every element closed in its order, every attribute
 * quoted, no stray `<` and no unknown entity. Fails the test at the first violation.
 */
export function parsePage(html: string): readonly Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < html.length) {
    const at = token.lastIndex;
    const groups = token.exec(html)?.groups;
    assert.ok(groups, `not well-formed at: ${html.slice(at, at + 80)}`);
    const { end, name, rest, text } = groups;
    if (text !== undefined) {
      const seen = resolveEntities(text, open.at(-1)?.name === 'style');
      for (const element of open) element.text += seen;
    } else if (end !== undefined) {
      assert.equal(open.pop()?.name, name, `closed out of order at: ${html.slice(at, at + 80)}`);
    } else if (name !== undefined) {
      const element = { name, attributes: attributesOf(rest!), text: '' };
      elements.push(element);
      if (!voidElements.has(name)) open.push(element);
    }
  }
  assert.deepEqual(
    open.map(({ name }) => name),
    [],
    'left open',
  );
  return elements;
}

function attributesOf(text: string): Map<string, string> {
  const found = [...text.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, name, value]): [string, string] => [
    name!,
    resolveEntities(value!, false),
  ]);
  const attributes = new Map(found);
  assert.equal(attributes.size, found.length, `an attribute twice in: ${text}`);
  return attributes;
}

function resolveEntities(text: string, raw: boolean): string {
  if (raw) return text;
  return text.replace(/&(?:#(\d+);|([a-z]+);)?/g, (whole, number?: string, name?: string) => {
    if (number !== undefined) return String.fromCodePoint(Number(number));
    assert.ok(name !== undefined && name in entities, `unknown entity ${whole} in: ${text}`);
    return entities[name]!;
  });
}

/** All elements of a name, in the order of the page. */
export function named(elements: readonly Element[], ...names: readonly string[]): readonly Element[] {
  return elements.filter(({ name }) => names.includes(name));
}

/** Elements that only a browser has a use for: controls, and what says so of itself. */
const browserOnly = new Set(['button', 'form', 'img', 'input', 'label', 'legend', 'nav', 'noscript', 'script']);

/** The text of an element with all that is for readers of Markdown too, and without the rest. */
export function readText(html: string, name: string): string {
  const start = html.indexOf(`<${name}`);
  const part = html.slice(start, html.indexOf(`</${name}>`, start));
  const skipped: string[] = [];
  let text = '';
  for (const { groups } of part.matchAll(new RegExp(token, 'g'))) {
    const { end, name: tag = '', rest = '', text: piece } = groups!;
    if (piece !== undefined) text += skipped.length === 0 ? resolveEntities(piece, false) : '';
    else if (end !== undefined) skipped.pop();
    else if (!voidElements.has(tag) && (skipped.length > 0 || browserOnly.has(tag) || rest.includes(' data-web=')))
      skipped.push(tag);
  }
  return text;
}
