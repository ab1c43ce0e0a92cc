import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesEnding, textOf } from './files.ts';

const { version } = JSON.parse(textOf('package.json'));

test('the service and both clients are released together, and say one version', () => {
  const client = JSON.parse(textOf('client/package.json')).version;
  const stated = [
    /version = '(.+)'/.exec(textOf('client/src/version.ts'))?.[1],
    /"(.+)"/.exec(textOf('client-python/src/market_data_client/_version.py'))?.[1],
  ];
  assert.deepEqual([client, ...stated, JSON.parse(textOf('package-lock.json')).version], Array(4).fill(version));
});

test('documents install from a file of this version or from this repository, and from no tag', () => {
  for (const file of filesEnding('.md').filter((one) => one !== 'CHANGELOG.md')) {
    assert.doesNotMatch(textOf(file), /git (checkout|clone)[^\n]* v\d+\.\d+/, file);
    for (const [found, named] of textOf(file).matchAll(
      /(?:market-data-(?:api|client)[-:]|market_data_client-|mdapi_)(\d+\.\d+\.\d+)/g,
    )) {
      assert.equal(named, version, `${file}: ${found}`);
    }
  }
});

test('the change log has a section of the released version, with its date, after what is unreleased', () => {
  const titles = [...textOf('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  assert.equal(titles[0], 'Unreleased');
  const released = titles.slice(1).map((title) => /^(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/.exec(title!));
  assert.equal(released[0]?.[1], version);
  const dates = released.map((each) => each?.[2]);
  assert.deepEqual(dates, dates.toSorted().toReversed());
});
