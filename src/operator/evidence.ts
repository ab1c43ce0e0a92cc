import { readFileSync } from 'node:fs';
import { type Fragment, html } from '../ground/html.ts';
import { type Proof, proofText } from '../history/query/prove.ts';
import type { PriceInputs } from '../history/reading/answer-leaves.ts';
import { derivePrices, type PriceStepMade } from '../market/pricing.ts';
import { stepText } from './price.ts';

const czechSteps: Readonly<Record<PriceStepMade['code'], string>> = {
  quote: 'Cena na burze',
  fee: 'Poplatek',
  rate: 'Kurz',
  margin: 'Měnová marže',
  rounding: 'Cena klienta',
};

/** One page about an answer, in Czech and English, for people who read and print it; the proof for programs is inside. */
export function evidencePage(proof: Proof, baseUrl: string, timeZone: string): string {
  const { answer, body, prices, segment, head, seal } = proof;
  const [chain, number] = segment.split(' ');
  const only = prices.length === 1 ? prices[0] : undefined;
  const values: Readonly<Record<string, Fragment>> = {
    ...answer,
    baseUrl,
    body,
    chain,
    number,
    head,
    prices: prices.length,
    day: seal.day ?? undefined,
    answeredAt: instantIn(timeZone, answer.answeredAt),
    capturedAt: only && instantIn(timeZone, only.capturedAt),
    due: seal.due === null ? undefined : instantIn(timeZone, seal.due),
    steps: only && stepsOf(body, only),
    proof: Buffer.from(proofText(proof)).toString('base64'),
    shown: seal.day === null ? (seal.due === null ? 'cut' : 'due') : 'sealed',
  };
  const page = readFileSync(new URL('evidence.txt', import.meta.url), 'utf8');
  return page.replaceAll(/\{(\w+)\}/g, (_, name: string) => html`${values[name]}`.text);
}

/** The rows of a table that says how both prices of a ticker came about. The last step is what was answered. */
function stepsOf(body: string, { rate, terms: { fee, margin, rounding }, ...made }: PriceInputs): Fragment {
  const { buyPrice, sellPrice } = JSON.parse(body);
  const isConverted = rate !== null && margin !== undefined;
  const conversion = isConverted
    ? { rate: { ...rate, fixingDate: rate.fixingDate }, marginPercent: margin.value }
    : undefined;
  const places = buyPrice.split('.')[1]?.length ?? 0;
  const { buy, sell } = derivePrices(made, fee.value, conversion, places, rounding?.value);
  const cell = (value: string, made: PriceStepMade) =>
    html`<td>${value}<br><span lang="en">${stepText(made)}</span></td>`;
  const row = (name: string, paid: Fragment, received: Fragment) => html`<tr><th>${name}</th>${paid}${received}</tr>`;
  return buy.map((paid, at) => {
    const received = sell[at]!;
    const isLast = at === buy.length - 1;
    const [paidValue, receivedValue] = isLast ? [buyPrice, sellPrice] : [paid.value, received.value];
    return row(czechSteps[paid.made.code], cell(paidValue, paid.made), cell(receivedValue, received.made));
  });
}

function instantIn(timeZone: string, at: string): Fragment {
  const written = (language: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'long', timeZone }).format(Date.parse(at));
  const exact = Temporal.Instant.from(at).toZonedDateTimeISO(timeZone).toString();
  return html`${written('cs')}<br><span lang="en">${written('en-GB')}</span><br><code>${exact}</code>`;
}
