import { isoInstant } from '../../contract/instant.ts';
import type { EpochMs } from '../../ground/clock.ts';
import { AnswerLeaves, answerView, inputsText, type PriceInputs } from '../reading/answer-leaves.ts';
import { answerFrom } from '../reading/bodies.ts';
import type { RecordReader } from '../reading/record-reader.ts';
import { pathOf } from '../segment/hash-tree.ts';
import { lineOf, linkOf, type SegmentHead, segmentKinds, sha256 } from '../segment/segment.ts';
import type { DaySeal, LedgerEntry, SegmentReader } from '../segment/segment-store.ts';
import { headsIn } from './ledger-finding.ts';
import type { Stamp } from './verify.ts';

const dayMs = 86_400_000;

/**
 * One answer, with all that is needed to check it without the record: `docs/record-format.md` says what each field is.
 */
export type Proof = Exclude<Awaited<ReturnType<typeof proveAnswer>>, NoProof>;

/** Why an answer cannot be proved. */
export const noProofTexts = {
  unknown: 'The record has no answer to a key with this id.',
  running: 'Its minute is not sealed yet: try again in two minutes.',
  older: 'A version that made no proofs recorded it: it is proved with the whole record alone.',
  incomplete: 'The record lacks a part of this answer.',
  changed: 'The record is not as it was written: `mdapi history verify` names where.',
} as const;
export type NoProof = keyof typeof noProofTexts;

/** The file of a proof. Its last field is the SHA-256 of the others, as compact JSON. */
export function proofText(proof: Proof): string {
  return `${JSON.stringify({ ...proof, checksum: hexOf(sha256(JSON.stringify(proof))) }, null, 1)}\n`;
}

export async function proveAnswer(store: SegmentReader, reader: RecordReader, requestId: string) {
  const answer = await reader.findServing(requestId);
  if (answer === undefined) return 'unknown';
  const { serving, chain, segment: head } = answer;
  if (head?.root === undefined) return head === undefined ? 'running' : 'older';
  const rows = await reader.answersIn(head);
  const { requestKey } = (await store.runs()).find(({ run }) => run === head.run)!;
  const inForce = await reader.inForceAt(chain, head.firstAt);
  const leaves = new AnswerLeaves(inForce, requestKey);
  let found: ReturnType<typeof answerFrom>;
  leaves.apply(rows, (row) => {
    if (row.request === serving.request) found = answerFrom(serving, inForce);
  });
  if (found === undefined) return 'incomplete';
  const tree = leaves.take();
  const place = rows.servings.filter(({ request }) => request < serving.request).length;
  const { following, sealed, isCut, isWhole } = await wayFrom(store, head);
  if (!isWhole || !tree.at(-1)!.equals(head.root)) return 'changed';
  const due = isoInstant(((Math.floor(head.lastAt / dayMs) + 1) * dayMs) as EpochMs);
  return {
    format: 'mdapi-proof-1' as const,
    answer: answerView(serving),
    body: found.body,
    prices: found.quotes.map((row) => JSON.parse(inputsText(row)) as PriceInputs),
    place,
    path: pathOf(tree, place).map(hexOf),
    segment: lineOf(head),
    previous: hexOf(head.previous),
    links: Buffer.concat(following.map(linkOf)).toString('base64'),
    head: hexOf((following.at(-1) ?? head).hash),
    seal: { day: sealed?.day ?? null, due: isCut || sealed !== undefined ? null : due },
    timestamp: sealed?.stamp ?? null,
  };
}

/** Finds the segments that follow one, up to the seal of its day. `isCut`: retention deleted some of them. */
async function wayFrom(store: SegmentReader, head: SegmentHead) {
  const { chain, number: first } = head;
  const end = sealOf(await store.ledger(), head);
  const beforeNumber = (end?.number ?? Number.MAX_SAFE_INTEGER - 1) + 1;
  const later = await store.heads({ kinds: segmentKinds, chain, afterNumber: first, beforeNumber });
  const hole = later.findIndex(({ number, digest }, at) => number !== first + 1 + at || digest === undefined);
  const following = hole === -1 ? later : later.slice(0, hole);
  const last = following.at(-1) ?? head;
  const isCut = hole !== -1 || last.number < (end?.number ?? 0);
  const sealed = isCut ? undefined : end;
  const linked = [head, ...following].reduce((before, each) => sha256(before, linkOf(each)), head.previous);
  const isWhole = linked.equals(last.hash) && (sealed === undefined || sealed.hash === hexOf(last.hash));
  return { following, sealed, isCut, isWhole };
}

/** The first seal of a day behind a segment, of its own chain where there is one, and its time stamp. */
function sealOf(ledger: readonly LedgerEntry[], { chain, number }: SegmentHead) {
  const parsed = <Value>(wanted: LedgerEntry['kind']) =>
    ledger.flatMap(({ kind, text }) => (kind === wanted ? (JSON.parse(text) as Value) : []));
  const seals = parsed<DaySeal>('seal');
  const ends = [...seals.filter((seal) => seal.chain === chain), ...seals].flatMap(headsIn);
  const sealed = ends.find((end) => end.chain === chain && end.number >= number);
  return sealed && { ...sealed, stamp: parsed<Stamp>('stamp').find(({ head }) => head === sealed.hash)?.response };
}

function hexOf(bytes: Buffer): string {
  return bytes.toString('hex');
}
