import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type Proof, proofText } from '../../src/history/query/prove.ts';
import { directoryFor } from '../../src/history/record/record.testing.ts';
import { sha256 } from '../../src/history/segment/segment.ts';
import { unpacked } from './record-file.ts';

const verifier = fileURLToPath(new URL('../../examples/verify-proof/verify.py', import.meta.url));
const { json } = unpacked(readFileSync(join(import.meta.dirname, 'record-4.zst')));
const proofs = (JSON.parse(json) as { proofs: (Proof | string)[] }).proofs.filter((proof) => typeof proof !== 'string');
const proofOf = (route: string, status: number) =>
  proofs.find(({ answer }) => answer.route === route && answer.status === status)!;
const ticker = proofOf('/v1/ticker', 200);
const stamped = { ...ticker, timestamp: stampOf(ticker.head) };
const unsealed = proofs.findLast(({ answer }) => answer.route === '/v1/ticker')!;
const samples = [stamped, proofOf('/v1/tickers', 200), proofOf('/v1/ticker', 404), unsealed];

/** Has the digest of a head where a time stamp has it. */
function stampOf(head: string): string {
  const imprint = Buffer.concat([Buffer.of(0x04, 0x20), sha256(Buffer.from(head, 'hex'))]);
  return Buffer.concat([Buffer.from('before'), imprint, Buffer.from('after')]).toString('base64');
}

/** Says which texts the verifier accepts: in one process, as its command line does. */
function accepted(texts: readonly string[]): boolean[] {
  const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
import verify
def holds(text):
    try:
        verify.check(verify.read(text))
        return True
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError):
        return False
print(json.dumps([holds(text) for text in json.load(sys.stdin)]))`;
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { input: JSON.stringify(texts), env, encoding: 'utf8', maxBuffer: 1e8 } as const;
  const { stdout, stderr } = spawnSync('python3', ['-c', program, join(verifier, '..')], options);
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

function verify(...files: readonly string[]) {
  return spawnSync('python3', [verifier, ...files], { encoding: 'utf8' });
}

/** Every value in it, changed a little. */
function* changedValues(value: unknown): Generator<unknown> {
  if (Array.isArray(value) || (typeof value === 'object' && value !== null)) {
    for (const [name, part] of Object.entries(value))
      for (const changed of changedValues(part)) yield Object.assign(structuredClone(value), { [name]: changed });
    if (Array.isArray(value)) yield [...value, ...(value.length === 0 ? ['0'] : value.slice(-1))];
    else yield { ...value, more: 1 };
  } else if (typeof value === 'number') yield* [value + 1, String(value)];
  else if (typeof value === 'string') {
    const last = value.at(-1) === '1' ? '2' : '1';
    yield* [`${value}1`, `${value.slice(0, -1)}${last}`];
  } else yield 1;
}

test('every proof of the golden record is accepted', () => {
  assert.ok(proofs.length > 150);
  assert.deepEqual(new Set(accepted([...proofs, stamped].map(proofText))), new Set([true]));
});

test('a proof with any value changed is refused, though its checksum is right', () => {
  const changed = samples.flatMap((proof) => [...changedValues(proof)] as Proof[]);
  // The day of a seal and the signature of a time stamp are compared with what others have.
  const known = samples.map(({ answer }) => answer.requestId);
  const isOpen = (proof: Proof) => {
    const sample = samples[known.indexOf(proof.answer.requestId)];
    const { seal, timestamp } = proof;
    return sample !== undefined && proofText({ ...sample, seal, timestamp }) === proofText(proof);
  };
  const hashed = changed.filter((proof) => !isOpen(proof));
  assert.ok(hashed.length > 200);
  const found = accepted(hashed.map(proofText));
  assert.deepEqual(
    hashed.filter((_, index) => found[index]).map((proof) => JSON.stringify(proof).slice(0, 200)),
    [],
  );
});

test('a proof whose seal or time stamp is of something else is refused', () => {
  const others = [
    { ...unsealed, seal: { day: null, due: '2026-12-02T00:00:00.000Z' } },
    { ...ticker, seal: { ...ticker.seal, due: unsealed.seal.due } },
    { ...ticker, timestamp: stampOf('0'.repeat(64)) },
    { ...unsealed, timestamp: stampOf(unsealed.head) },
  ];
  assert.deepEqual(accepted(others.map(proofText)), [false, false, false, false]);
});

test('a proof with any byte changed, added or taken away is refused', () => {
  const change = fc.record({
    sample: fc.nat(samples.length - 1),
    place: fc.nat(100_000),
    by: fc.constantFrom('', ' ', '\n', '"', '0', '1', 'A', 'a', '\\u0061', ','),
    taken: fc.nat(1),
  });
  const texts = fc.sample(change, 2_000).flatMap(({ sample, place, by, taken }) => {
    const text = proofText(samples[sample]!);
    const at = place % text.length;
    const changed = text.slice(0, at) + by + text.slice(at + taken);
    return changed === text ? [] : [changed];
  });
  const found = accepted(texts);
  assert.deepEqual(
    texts.filter((_, index) => found[index]),
    [],
  );
});

test('the verifier says what was answered to whom, and whether it leads to a seal', (t) => {
  const [proof, seals] = ['proof.json', 'seals.txt'].map((name) => join(directoryFor(t), name)) as [string, string];
  writeFileSync(proof, proofText(ticker));
  const alone = verify(proof);
  assert.match(
    alone.stdout,
    /^requestId: +[0-9a-f]{32}\nkeyId: +key_\d\n.*WHOLE IN ITSELF; .* the seal of 2026-11-30/s,
  );
  const { head } = ticker;
  const logged = `{"level":"info","time":"2026-12-01T00:00:01.000Z","day":"2026-11-30","chain":1,"segment":40,"head":"${head}"}\n`;
  for (const seal of [logged, `Record of 2026-11-30: segment 40 of chain 1\n\n${head}\n`]) {
    writeFileSync(seals, `2026-11-29 1 20 ${'0'.repeat(64)}\n${seal}2026-12-02 1 99 ${'1'.repeat(64)}\n`);
    const sealed = verify(proof, seals);
    assert.deepEqual([sealed.status, sealed.stderr], [0, '']);
    assert.match(sealed.stdout, /WHOLE, and among the seals, /);
  }
  writeFileSync(seals, logged.replace('2026-11-30', '2026-11-29'));
  assert.match(verify(proof, seals).stderr, /^REFUSED: the seals do not have its head for 2026-11-30/);
  writeFileSync(proof, proofText(unsealed));
  assert.match(verify(proof).stdout, /its day is sealed after 2026-12-01T00:00:00.000Z/);
  assert.match(verify(proof, seals).stderr, /^REFUSED: it leads to no seal: prove it again after 2026-12-01T/);
});
