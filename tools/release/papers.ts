/**
 * Writes what goes with the packages of a release: bills of materials (CycloneDX) and the notes, which are the
 * version's section of CHANGELOG.md, or until it has one what is unreleased. `node tools/release/papers.ts TREE
 * FOLDER`, where TREE is the tree the packages were made from.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Bill {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
  components?: object[];
}

const [tree = '', folder = ''] = process.argv.slice(2);
const made = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString();
const manifestOf = (path: string) => JSON.parse(readFileSync(join(tree, path, 'package.json'), 'utf8'));
const { version } = manifestOf('');

writeBill(manifestOf('').name, version, serverBill());
writeBill(manifestOf('client').name, manifestOf('client').version, clientBill());
writeBill(...pythonBill());
writeFileSync(join(folder, 'RELEASE-NOTES.md'), notes(readFileSync(join(tree, 'CHANGELOG.md'), 'utf8')));

/**
 * With `--omit=dev` npm leaves out what a tool of a developer needs, too: so it gets a lock file without those tools.
 */
function serverBill(): Bill {
  const { bundleDependencies: _, ...manifest } = manifestOf('');
  const lock = JSON.parse(readFileSync(join(tree, 'package-lock.json'), 'utf8'));
  const used = Object.entries<{ dev?: boolean }>(lock.packages).filter(
    ([path, { dev }]) => path !== '' && dev !== true,
  );
  const packages = { '': manifest, ...Object.fromEntries(used) };
  const alone = mkdtempSync(join(tree, 'bill-'));
  writeFileSync(join(alone, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(alone, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  return npmBill(alone, ['--package-lock-only']);
}

/** It depends on nothing; its MCP server has packages inside. */
function clientBill(): Bill {
  const bundled = JSON.parse(readFileSync(join(tree, 'client-packages/bundled.json'), 'utf8'));
  const components = bundled.map(({ name, version, license }: Record<'name' | 'version' | 'license', string>) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { 'bom-ref': purl, type: 'library', name, version, purl, licenses: [{ license: { id: license } }] };
  });
  return { ...npmBill(join(tree, 'client'), []), components };
}

function npmBill(cwd: string, options: readonly string[]): Bill {
  const argv = ['sbom', '--sbom-format=cyclonedx', ...options];
  return JSON.parse(execFileSync('npm', argv, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 }));
}

/** The Python client asks for a range of one package: what is installed with it is its user's. */
function pythonBill(): [string, string, Bill] {
  const project = readFileSync(join(tree, 'client-python/pyproject.toml'), 'utf8');
  const [, dependencies = ''] = /^dependencies = \[(.*)\]$/m.exec(project) ?? [];
  const python = readFileSync(join(tree, 'client-python/src/market_data_client/_version.py'), 'utf8');
  const [, own = ''] = /"(.+)"/.exec(python) ?? [];
  const component = (name: string, more: object) => ({ 'bom-ref': name, type: 'library', name, ...more });
  const needed = [...dependencies.matchAll(/"([\w-]+)([^"]*)"/g)].map(([, name = '', range = '']) =>
    component(name, { purl: `pkg:pypi/${name}`, properties: [{ name: 'version range', value: range }] }),
  );
  const name = 'market-data-client-python';
  const licenses = [{ license: { id: 'Apache-2.0' } }];
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: component(name, { version: own, purl: `pkg:pypi/market-data-client@${own}`, licenses }) },
    components: needed,
    dependencies: [{ ref: name, dependsOn: needed.map((one) => one['bom-ref']) }],
  };
  return [name, own, bill];
}

/** The instant is that of the commit, and the number follows from the content: npm would take both from now. */
function writeBill(name: string, of: string, { serialNumber: _, ...bill }: Bill): void {
  bill.metadata.timestamp = made;
  bill.metadata.component.name = name;
  const hash = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  const uuid = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');
  const whole = { ...bill, serialNumber: `urn:uuid:${uuid}` };
  writeFileSync(join(folder, `${name}-${of}.cdx.json`), `${JSON.stringify(whole, null, 1)}\n`);
}

function notes(changes: string): string {
  const sections = changes.split(/^(?=## )/m).slice(1);
  const own = [`## ${version}`, '## Unreleased'].flatMap(
    (title) => sections.find((text) => text.startsWith(title)) ?? [],
  )[0];
  if (own === undefined) throw new Error(`CHANGELOG.md has no section of ${version}, and none of what is unreleased`);
  return `# Market Data API ${version}\n${own.replace(/^.*\n/, '')}`;
}
