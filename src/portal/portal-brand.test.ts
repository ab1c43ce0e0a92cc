import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { portalBrand } from './portal-brand.ts';

const refused = (what: string) => new Error(`portal.logo: ${what}`);

test('a logo is an SVG or PNG of a modest size that loads and runs nothing; anything else is refused by its key', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mdapi-logo-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const brandWith = (name: string, content: string | Buffer) => {
    const logo = join(folder, name);
    writeFileSync(logo, content);
    return portalBrand({ logo, colours: {} }, refused);
  };
  const svg = '<?xml version="1.0"?>\n<!-- made by hand -->\n<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>';
  assert.equal(brandWith('logo.svg', svg).logo?.kind, 'svg');
  const png = Buffer.from('89504e470d0a1a0a00', 'hex');
  assert.deepEqual(brandWith('logo.png', png).logo, { kind: 'png', bytes: png });
  for (const [content, why] of [
    ['GIF89a', /portal\.logo: .*neither SVG nor PNG/],
    ['<svg><script>1</script></svg>', /has scripts/],
    ['<svg onload="x()"></svg>', /has scripts/],
    ['<svg><image href="https://other.example/x.png"/></svg>', /loads from elsewhere/],
    [`<svg>${' '.repeat(200_000)}</svg>`, /bytes, more than 200000/],
  ] as const)
    assert.throws(() => brandWith('wrong.svg', content), why);
  assert.throws(
    () => portalBrand({ logo: join(folder, 'none.svg'), colours: {} }, refused),
    /none\.svg cannot be read \(ENOENT\)/,
  );
});
