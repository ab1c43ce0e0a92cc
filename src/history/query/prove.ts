import type { EpochMs } from '../../clock.ts';
import { isoInstant } from '../../contract/instant.ts';
import { pathOf, rootOf } from '../segment/hash-tree.ts';
import type { Quote, RateVersion, TermsVersion } from '../segment/rows.ts';
import { hashOf, lineOf, linkOf, type SegmentHead, segmentKinds, sha256 } from '../segment/segment.ts';
import type { DaySeal, LedgerEntry, SegmentReader } from '../segment/segment-store.ts';
import { AnswerLeaves, answerView, inForceAt, inputsText } from './answer-leaves.ts';
import { answerFrom } from './bodies.ts';
import { headsIn } from './ledger-finding.ts';
import type { FoundServing, RecordReader } from './record-reader.ts';
import type { Stamp } from './verify.ts';

const dayMs = 86_400_000;

/** One answer, with all that is needed to check it without the record: `docs/record-format.md` says how. Hashes are hexadecimal. */
export interface Proof {
  readonly format: 'mdapi-proof-1';
  readonly answer: ReturnType<typeof answerView>;
  /** Without compression. */
  readonly body: string;
  /** The inputs of each price in the body, in its order. */
  readonly prices: readonly PriceInputs[];
  /** Its place among the answers of its segment, and the path to the root of their tree. */
  readonly place: number;
  readonly path: readonly string[];
  /** Everything that is said of the segment, and the hash of the one before. */
  readonly segment: string;
  readonly previous: string;
  /** A digest of 32 bytes for each segment after it, up to the one that is sealed, in Base64. */
  readonly links: string;
  /** The hash of the last of them. */
  readonly head: string;
  /** The day whose seal has the head; else when its day is sealed, unless retention deleted what follows. */
  readonly seal: { readonly day: string | null; readonly due: string | null };
  /** The answer of the authority that stamped the head (RFC 3161), DER in Base64. */
  readonly timestamp: string | null;
}

/** What `inputsText` gives. */
export interface PriceInputs extends Pick<Quote, 'source' | 'bid' | 'ask'> {
  readonly publishedAt: string;
  readonly capturedAt: string;
  readonly rate: RateVersion | null;
  readonly terms: TermsVersion;
}

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

export async function proveAnswer(
  store: SegmentReader,
  reader: RecordReader,
  { serving, chain, segment: head }: FoundServing,
): Promise<Proof | NoProof> {
  if (head === undefined) return 'running';
  if (head.root === undefined) return 'older';
  const rows = await reader.answersIn(head);
  const { requestKey } = (await store.runs()).find(({ run }) => run === head.run)!;
  const inForce = await inForceAt(reader, chain, head.firstAt);
  let found: ReturnType<typeof answerFrom>;
  const added = new AnswerLeaves(inForce, requestKey);
  inForce.apply(rows, (row) => {
    added.add(row);
    if (row.request === serving.request) found = answerFrom(serving, inForce);
  });
  const leaves = added.take();
  if (found === undefined) return 'incomplete';
  const sealed = sealOf(await store.ledger(), head);
  const beforeNumber = sealed === undefined ? Number.MAX_SAFE_INTEGER : sealed.number + 1;
  const later = await store.heads({ kinds: segmentKinds, chain, afterNumber: head.number, beforeNumber });
  const hole = later.findIndex(({ number, digest }, at) => number !== head.number + 1 + at || digest === undefined);
  const following = hole === -1 ? later : later.slice(0, hole);
  const last = following.at(-1) ?? head;
  const isCut = hole !== -1 || (sealed !== undefined && last.number < sealed.number);
  const isLinked = (each: SegmentHead, at: number) =>
    each.previous.equals((following[at - 1] ?? head).hash) && sha256(each.previous, linkOf(each)).equals(each.hash);
  const segment = await store.segment(chain, head.number);
  const isWhole = rootOf(leaves)!.equals(head.root) && hashOf(segment!).equals(head.hash) && following.every(isLinked);
  if (!isWhole || (sealed?.hash !== hexOf(last.hash) && sealed !== undefined && !isCut)) return 'changed';
  const due = isoInstant(((Math.floor(head.lastAt / dayMs) + 1) * dayMs) as EpochMs);
  const place = rows.servings.filter(({ request }) => request < serving.request).length;
  return {
    format: 'mdapi-proof-1',
    answer: answerView(serving),
    body: found.body,
    prices: found.quotes.map((row) => JSON.parse(inputsText(row)) as PriceInputs),
    place,
    path: pathOf(leaves, place).map(hexOf),
    segment: lineOf(head),
    previous: hexOf(head.previous),
    links: Buffer.concat(following.map(linkOf)).toString('base64'),
    head: hexOf(last.hash),
    seal: { day: (!isCut && sealed?.day) || null, due: isCut || sealed !== undefined ? null : due },
    timestamp: (!isCut && sealed?.stamp) || null,
  };
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
