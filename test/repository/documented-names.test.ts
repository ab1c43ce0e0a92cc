import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faultNames } from '../../exchange-simulator/fault-catalogue.ts';
import { metricsRegistry } from '../../src/admin/metrics.ts';
import { type Command, commonOptions } from '../../src/cli/command.ts';
import { loadCommands } from '../../src/cli/commands.ts';
import { loadConfiguration } from '../../src/configuration/load.ts';
import { fields } from '../../src/configuration/schema.ts';
import { fileVariable } from '../../src/configuration/sources.ts';
import { errorCodes } from '../../src/contract/errors.ts';
import { adminParts, inRedis } from '../../src/management/parts.testing.ts';
import { filesEnding, textOf } from './files.ts';
import { blocksOf, spansOf } from './markdown.ts';

const commands = await loadCommands();
const documents = filesEnding('.md').map((file) => ({ file, text: textOf(file) }));
const sections = new Set(fields.map((field) => field.path[0]!));

/** What each document says wrongly, after looking at everything it says. */
function wrongs(find: (text: string) => Iterable<string>): string[] {
  return documents.flatMap(({ file, text }) => [...find(text)].map((wrong) => `${file}: ${wrong}`));
}

function codeLines(text: string): string[] {
  const lines = blocksOf(text).flatMap((block) => block.text.replaceAll('\\\n', ' ').split('\n'));
  return [...lines, ...spansOf(text)];
}

describe('what the documents name', () => {
  test('commands and their options exist', () => {
    let seen = 0;
    const found = wrongs(function* (text) {
      for (const line of codeLines(text)) {
        for (const words of commandLinesIn(line)) {
          seen++;
          const wrong = faultOf(words);
          if (wrong !== undefined) yield `${words.join(' ')} (${wrong})`;
        }
      }
    });
    assert.deepEqual(found, []);
    assert.ok(seen > 60, `only ${seen} command lines were found`);
  });

  test('npm scripts and faults of the simulator exist, and no program needs another Node than the machine has', () => {
    const scripts = new Set(
      filesEnding('package.json').flatMap((file) => Object.keys(JSON.parse(textOf(file)).scripts ?? {})),
    );
    let seen = 0;
    const found = wrongs(function* (text) {
      for (const line of codeLines(text)) {
        for (const [, script = ''] of line.matchAll(/\bnpm run (?:--silent )?([a-z][a-z:]*)/g)) {
          seen++;
          if (!scripts.has(script)) yield `npm run ${script}`;
        }
        const [, fault = 'close'] = /\bnpm run simulator -- fault ([a-z-]+)/.exec(line) ?? [];
        if (!faultNames.some((name) => name === fault)) yield `fault ${fault}`;
        // The sources need the pinned Node, which npm puts first on the path; `node` alone may be any other.
        const [direct] = /(?<![\w/])node (?!--)\S+\.ts\b/.exec(line) ?? [];
        if (direct !== undefined) yield direct;
      }
    });
    assert.deepEqual(found, []);
    assert.ok(seen > 20, `only ${seen} were found`);
  });

  test('configuration keys exist', () => {
    const found = wrongs(function* (text) {
      for (const span of spansOf(text)) {
        const [first = ''] = span.split('.');
        if (!/^[a-z]+(\.[A-Za-z]+)+$/.test(span) || !sections.has(first) || isFileName(span)) continue;
        if (!isKey(span)) yield span;
      }
    });
    assert.deepEqual(found, []);
  });

  test('environment variables exist', () => {
    const found = wrongs(function* (text) {
      for (const [variable] of text.matchAll(/\bMDAPI_[A-Z0-9_]*[A-Z0-9]/g)) {
        const names = [variable, variable.replace(/_FILE$/, '')];
        const isKnown = variable === fileVariable || fields.some((field) => names.includes(field.variable));
        if (!isKnown) yield variable;
      }
    });
    assert.deepEqual(found, []);
  });

  test('configurations are taken as they stand', () => {
    let taken = 0;
    const found = wrongs(function* (text) {
      for (const block of blocksOf(text)) {
        if (block.language !== 'yaml' || !sections.has(/^([a-z]+):/m.exec(block.text)?.[1] ?? '')) continue;
        taken++;
        try {
          loadConfiguration({ flags: [], env: {}, cwd: '/', configPath: 'mdapi.yaml', readFile: () => block.text });
        } catch (error) {
          yield `${(error as Error).message}\n${block.text}`;
        }
      }
    });
    assert.deepEqual(found, []);
    assert.ok(taken > 4, `only ${taken} configurations were found`);
  });

  test('error codes exist, and the guide for clients has them all', () => {
    const guide = documents.find(({ file }) => file === 'docs/clients/errors.md')!.text;
    assert.deepEqual(
      errorCodes.filter((code) => !guide.includes(`\`${code}\``)),
      [],
    );
    const rows = [...guide.matchAll(/^\| \d{3} +\| `([A-Z_]+)`/gm)].map(([, code]) => code);
    assert.deepEqual(rows.toSorted(), errorCodes.toSorted());
  });
});

describe('metrics', () => {
  // Names are there before anything is read, so nothing stands behind them here.
  const registry = metricsRegistry(adminParts({ sharedLimits: () => inRedis }));
  const served = registry.getMetricsAsArray().map(({ name }) => name);
  const ofTheRuntime = /^mdapi_(nodejs|process)_/;

  test('that a document names are served', () => {
    const names = new Set(served.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]));
    const found = wrongs(function* (text) {
      for (const [name] of text.matchAll(/\bmdapi_[a-z][a-z0-9_]*[a-z0-9]\b/g)) if (!names.has(name)) yield name;
    });
    assert.deepEqual(found, []);
  });

  test('of our own are all in the reference', () => {
    const list = textOf('docs/metrics.md');
    const own = served.filter((name) => !ofTheRuntime.test(name));
    assert.ok(own.length > 20);
    assert.deepEqual(
      own.filter((name) => !new RegExp(`\`${name}[\`{]`).test(list)),
      [],
    );
  });
});

/** The words after `mdapi` in a line of shell, up to its end or the next command. */
function* commandLinesIn(line: string): Iterable<string[]> {
  const command = /(?:(?<![\w/.-])(?<!(?:-u|-g|-o) )mdapi(?: --)?|\bmdapi\.js) +((?:[a-z]|--)[^|;&#>]*)/g;
  for (const [, rest = ''] of line.matchAll(command)) yield rest.trim().split(/\s+/);
}

function faultOf(words: readonly string[]): string | undefined {
  const rest = words[0] === 'help' ? words.slice(1) : words.filter((word) => word !== '--json');
  const names = rest.filter((word) => /^[a-z][a-z-]*$/.test(word));
  if (names.length === 0) return undefined;
  const command = commands.find(({ name }) => name === names.slice(0, name.split(' ').length).join(' '));
  if (command !== undefined) return unknownOption(command, words);
  const isGroup = names.length === 1 && commands.some(({ name }) => name.startsWith(`${names[0]} `));
  return isGroup ? undefined : 'no such command';
}

function unknownOption(command: Command, words: readonly string[]): string | undefined {
  const names = new Set([...commonOptions, ...command.options].map(({ name }) => name));
  const given = words.flatMap((word) => /^\[?--([a-z-]+)/.exec(word)?.[1] ?? []);
  const unknown = given.filter((name) => !names.has(name));
  return unknown.length === 0 ? undefined : `no option ${unknown.join(', ')}`;
}

function isFileName(text: string): boolean {
  return /\.(ts|md|json|yaml|js|db|sqlite|service)$/.test(text);
}

/** A key, the section of one, or what stands below one whose value is a map. */
function isKey(text: string): boolean {
  return fields.some(({ key }) => key === text || key.startsWith(`${text}.`) || text.startsWith(`${key}.`));
}
