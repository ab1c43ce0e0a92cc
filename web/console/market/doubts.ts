import type { Doubt } from '../../generated/management-v1.d.ts';
import { doubtWhys, servedText } from '../czech/doubts.ts';
import { grouped } from '../format/decimal.ts';
import { withLocalTimes } from '../format/time.ts';
import { html } from '../html.ts';
import { language, tell, word } from '../language.ts';
import { When } from '../parts/blocks.ts';
import { hrefTo } from '../router.ts';

/** A doubt in one sentence each: what the source says, since when, why, and what clients get instead. */
export function DoubtText({ doubt }: { doubt: Doubt }) {
  const { bid, ask, sinceMs, reason } = doubt;
  const why = language === 'cs' ? doubtWhys[reason] : doubt.why;
  const served = language === 'cs' ? servedText(doubt) : withLocalTimes(doubt.served);
  return html`<span>${tell('It says <code>{prices}</code> since {instant}, {reason}: {why}. Served is {served}.', { prices: `${grouped(bid)} / ${grouped(ask)}`, instant: html`<${When} atMs=${sinceMs} />`, reason: word(reason), why, served })}</span>`;
}

/** Doubts of one source, each with a link to its market. */
export function DoubtedMarkets({ doubts }: { doubts: readonly Doubt[] }) {
  if (doubts.length === 0) return null;
  return html`<div class="note warn">${doubts.map(
    (doubt) =>
      html`<p key=${doubt.market}><strong>${tell('{subject} is doubted.', { subject: html`<a href=${hrefTo('markets', doubt.market)}>${doubt.market}</a>` })}</strong> <${DoubtText} doubt=${doubt} /></p>`,
  )}</div>`;
}
