import type { TestEvent } from 'node:test/reporters';

/** A reporter for Node's test runner: one line for each skipped test, with the reason. */
export default async function* skippedReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { skip, name } = event.data;
    if (skip !== undefined) yield `${typeof skip === 'string' && skip !== '' ? skip : name}\n`;
  }
}
