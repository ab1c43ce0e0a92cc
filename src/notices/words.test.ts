import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeWords } from './notice-words.ts';
import { newsWords } from './status-news-words.ts';

/** The texts of a table by their places in it, each with the names of the values that it says. */
function valuesOf(table: object, path = ''): Readonly<Record<string, readonly string[]>> {
  const texts = Object.entries(table).map(([name, text]): object => {
    const place = `${path}/${name}`;
    if (typeof text === 'function') return { [place]: valuesIn(text as (values: object) => string) };
    return typeof text === 'object' ? valuesOf(text as object, place) : { [place]: [] };
  });
  return Object.assign({}, ...texts);
}

/** Calls a text with values that are their own names, or with a count if it takes one. */
function valuesIn(text: (values: object) => string): readonly string[] {
  const asked = new Set<string>();
  const values = new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === Symbol.toPrimitive) return () => 4_711;
        asked.add(String(name));
        return `<${String(name)}>`;
      },
    },
  );
  const said = text(values);
  return [...asked]
    .filter((name) => said.includes(`<${name}>`))
    .concat(said.includes('4711') ? 'a count' : [])
    .sort();
}

test('every text of a mail says the same values in each language', () => {
  for (const { en, cs } of [noticeWords, newsWords]) {
    const english = valuesOf(en);
    assert.ok(Object.keys(english).length > 15);
    assert.deepEqual(valuesOf(cs), english);
  }
});
