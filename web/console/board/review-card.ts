import type { MarketReview, PendingList, RejectedList } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { counted } from '../format/decimal.ts';
import { type Content, html } from '../html.ts';
import { say, type Text, tell } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Allowed, Section, When } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';

const everyMs = 5_000;

type Reason = PendingList['reason'];
type Verdict = PendingList['verdicts'][number];

/** What waits of the lists of sources, with what an operator can decide; nothing while nothing does. */
export function ReviewCard() {
  const polled = usePolled<MarketReview>('market-review', everyMs);
  const { pending = [], rejected = [] } = polled.value ?? {};
  if (pending.length + rejected.length === 0) return null;
  return html`<${Section} title=${say('Lists of the sources')}>
    ${pending.map((each) => html`<${Pending} key=${each.id} pending=${each} onDone=${polled.refresh} />`)}
    ${rejected.map((each) => html`<${Rejected} key=${each.source} rejected=${each} onDone=${polled.refresh} />`)}
  <//>`;
}

const sentences: Readonly<Record<Reason, Text>> = {
  growth: 'This many are new at once: {markets}. They are not offered yet.',
  over_maximum: 'This many are above markets.max: {markets}. They are not offered; to offer them, raise it.',
  incomplete:
    'The list lacks this many: {markets}. It is taken for incomplete until an equal one follows, and they stay as they are.',
  loss: 'This many have been missing for so long that they are due: {markets}. They are paused, and not delisted yet.',
};

function Pending({ pending, onDone }: { pending: PendingList; onDone: () => void }) {
  const { source, reason, count, symbols, sinceMs, verdicts } = pending;
  const more = count - symbols.length;
  const rest = more > 0 ? ` + ${counted(more, 'more market')}` : '';
  return html`<div class="note warn review">
    <p><strong>${source}:</strong> ${tell(sentences[reason], { markets: counted(count, 'market') })} ${tell('Since {instant}.', { instant: html`<${When} atMs=${sinceMs} />` })}</p>
    <details><summary>${say('Which')}</summary><p class="small">${symbols.join(', ')}${rest}</p></details>
    <${Allowed} role="operator"><p class="buttons">${verdicts.map((verdict) => html`<${Decide} key=${verdict} pending=${pending} verdict=${verdict} onDone=${onDone} />`)}</p><//>
  </div>`;
}

interface DecisionTexts {
  readonly button: string;
  readonly title: Text;
  readonly text: string;
}

const offered: DecisionTexts = {
  button: say('Offer them'),
  title: 'Offer {markets} of {source}',
  text: say('Clients see them with the next load of the list.'),
};
const rejected: DecisionTexts = {
  button: say('Reject'),
  title: 'Never offer {markets} of {source}',
  text: say('They are not offered, whatever the list says, unless they are accepted later.'),
};

const lossTexts: Readonly<Record<Verdict, DecisionTexts>> = {
  accept: {
    button: say('Delist them'),
    title: 'Delist {markets} of {source} for good',
    text: say('This is final: they never come back, not even by hand.'),
  },
  reject: {
    button: say('Keep them'),
    title: 'Keep {markets} of {source}',
    text: say('They stay paused until they are listed again, and are not delisted for having been missing until now.'),
  },
};

function textsOf(reason: Reason, verdict: Verdict): DecisionTexts {
  if (reason === 'loss') return lossTexts[verdict];
  return verdict === 'accept' ? offered : rejected;
}

function Decide({ pending, verdict, onDone }: { pending: PendingList; verdict: Verdict; onDone: () => void }) {
  const { id, source, reason, count } = pending;
  const { button, title, text } = textsOf(reason, verdict);
  const isFinal = reason === 'loss' && verdict === 'accept';
  const heading = say(title, { markets: counted(count, 'market'), source });
  return html`<${ConfirmButton}
    text=${button}
    className=${isFinal ? 'dangerous-quiet' : undefined}
    title=${`${heading}?`}
    action=${button}
    isDangerous=${isFinal}
    typed=${isFinal ? source : undefined}
    act=${() => post<PendingList>(`market-review/${id}/${verdict}`, isFinal ? { confirm: source } : {})}
    onDone=${onDone}
  ><p>${text}</p><//>`;
}

/** What was rejected, and the way back. */
function Rejected({ rejected: { source, count }, onDone }: { rejected: RejectedList; onDone: () => void }) {
  const markets = counted(count, 'market');
  const sentence: Content = tell('{source}: rejected are {markets}.', {
    source: html`<strong>${source}</strong>`,
    markets,
  });
  return html`<div class="note review">
    <p>${sentence}</p>
    <${Allowed} role="operator"><p class="buttons"><${ConfirmButton}
      text=${offered.button}
      title=${`${say(offered.title, { markets, source })}?`}
      action=${offered.button}
      act=${() => post<RejectedList>(`market-review/rejected/${encodeURIComponent(source)}/accept`)}
      onDone=${onDone}
    ><p>${offered.text}</p><//></p><//>
  </div>`;
}
