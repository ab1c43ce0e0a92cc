import type { Doubt } from '../../generated/management-v1.d.ts';
import { grouped } from '../format/decimal.ts';
import { spaced } from '../format/words.ts';
import { html } from '../html.ts';
import { When } from '../parts/blocks.ts';
import { hrefTo } from '../router.ts';

/** A doubt in one sentence each: what the source says, since when, why, and what clients get instead. */
export function DoubtText({ doubt }: { doubt: Doubt }) {
  const { bid, ask, sinceMs, reason, why, served } = doubt;
  return html`<span>It says <code>${grouped(bid)} / ${grouped(ask)}</code> since <${When} atMs=${sinceMs} />, ${spaced(reason)}: ${why}. Served is ${served}.</span>`;
}

/** Doubts of one source, each with a link to its market. */
export function DoubtedMarkets({ doubts }: { doubts: readonly Doubt[] }) {
  if (doubts.length === 0) return null;
  return html`<div class="note warn">${doubts.map(
    (doubt) =>
      html`<p key=${doubt.market}><strong><a href=${hrefTo('markets', doubt.market)}>${doubt.market}</a> is doubted.</strong> <${DoubtText} doubt=${doubt} /></p>`,
  )}</div>`;
}
