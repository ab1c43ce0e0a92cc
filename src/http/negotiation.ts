import type { ContentEncoding } from '../board/encoding.ts';

/** In our order of preference among codings a client accepts equally: the smallest work for both sides first. */
const preferred: readonly ContentEncoding[] = ['zstd', 'br', 'gzip'];

const chosen = new Map<string, ContentEncoding>();
const rememberedMax = 1000;

/**
 * The coding to answer in (RFC 9110 section 12.5.3). `identity` when the header is absent, when it names nothing we
 * have, and even when it refuses `identity`: a readable answer beats a 406. Clients send a handful of different
 * headers, so each is judged once.
 */
export function chooseEncoding(acceptEncoding: string | undefined): ContentEncoding {
  if (acceptEncoding === undefined || acceptEncoding === '') return 'identity';
  const known = chosen.get(acceptEncoding);
  if (known !== undefined) return known;
  const encoding = judge(acceptEncoding);
  if (chosen.size >= rememberedMax) chosen.clear();
  chosen.set(acceptEncoding, encoding);
  return encoding;
}

function judge(acceptEncoding: string): ContentEncoding {
  const weights = parseWeights(acceptEncoding);
  // Who sends only `*` has not said what it can decode; gzip is what everything can.
  const weightOf = (coding: string) => weights.get(coding) ?? (coding === 'gzip' ? weights.get('*') : undefined) ?? 0;
  let best: ContentEncoding = 'identity';
  let bestWeight = weights.get('identity') ?? 0;
  for (const coding of preferred) {
    const weight = weightOf(coding);
    if (weight > 0 && (weight > bestWeight || (best === 'identity' && weight === bestWeight))) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}

/** Values of a weighted list such as `br;q=0.8, gzip` with their weights 0 to 1, names in lower case. */
function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const weight = quality === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality) : 0;
    if (name !== '') weights.set(name, weight);
  }
  return weights;
}

/**
 * True when a page is asked for rather than JSON: HTML or Markdown is named in `Accept`, weighs more than JSON where
 * that is named, and no less than what JSON falls under. A browser names HTML and not JSON.
 */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const weights = parseWeights(accept);
  const page = Math.max(weights.get('text/html') ?? 0, weights.get('text/markdown') ?? 0);
  const json = weights.get('application/json');
  if (json !== undefined) return page > json;
  return page > 0 && page >= (weights.get('application/*') ?? weights.get('*/*') ?? 0);
}

/** True when Markdown is named in `Accept` and weighs at least as much as HTML, which no browser says. */
export function prefersMarkdown(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes('text/markdown')) return false;
  const weights = parseWeights(accept);
  const weight = weights.get('text/markdown') ?? 0;
  return weight > 0 && weight >= (weights.get('text/html') ?? 0);
}

/**
 * The language that `Accept-Language` weighs most of those there are (RFC 9110 section 12.5.4), by the first part of
 * its tag; the first of equal ones as they are sent. `undefined` when it names none of them.
 */
export function preferredLanguage<Language extends string>(
  acceptLanguage: string | undefined,
  available: readonly Language[],
): Language | undefined {
  let best: Language | undefined;
  let bestWeight = 0;
  for (const [tag, weight] of parseWeights(acceptLanguage ?? '')) {
    const language = available.find((each) => each === tag.split('-')[0]);
    if (language === undefined || weight <= bestWeight) continue;
    best = language;
    bestWeight = weight;
  }
  return best;
}

/** Whether `If-None-Match` names this entity tag, by the weak comparison it asks for (RFC 9110 section 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | undefined, entityTag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === entityTag || ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === entityTag);
}
