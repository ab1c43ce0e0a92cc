import { readFileSync } from 'node:fs';
import { type PriceInputs, type Proof, proofText } from '../history/query/prove.ts';
import { type Fragment, html } from '../html.ts';
import type { DecimalString } from '../market/decimal.ts';
import { derivePrices } from '../market/pricing.ts';

const czechSteps = ['Cena na burze', 'Poplatek', 'Kurz', 'Měnová marže', 'Zaokrouhleno: cena klienta'];

/** One page about an answer, in Czech and English, for people who read and print it; the proof for programs is inside. */
export function evidencePage(proof: Proof, baseUrl: string, timeZone: string): string {
  const { answer, body, prices, segment, head, seal } = proof;
  const [chain, number] = segment.split(' ');
  const [only] = prices.length === 1 ? prices : [];
  const instant = (at: string | null) => (at === null ? undefined : instantIn(timeZone, at));
  const values: Readonly<Record<string, Fragment>> = {
    ...{ ...answer, baseUrl, body, chain, number, head, prices: prices.length, day: seal.day ?? undefined },
    answeredAt: instant(answer.answeredAt),
    capturedAt: instant(only?.capturedAt ?? null),
    due: instant(seal.due),
    steps: only && stepsOf(body, only),
    proof: Buffer.from(proofText(proof)).toString('base64'),
    // Attributes of the parts that are said of another answer.
    unlessOne: only ? '' : 'hidden',
    unlessMany: prices.length > 1 ? '' : 'hidden',
    unlessSealed: seal.day === null ? 'hidden' : '',
    unlessDue: seal.due === null ? 'hidden' : '',
    unlessCut: seal.day === null && seal.due === null ? '' : 'hidden',
  };
  const page = readFileSync(new URL('evidence.txt', import.meta.url), 'utf8');
  return page.replaceAll(/\{(\w+)\}/g, (_, name: string) => html`${values[name]}`.text);
}

/** The rows of a table that says how both prices of a ticker came about. The last step is what was answered. */
function stepsOf(body: string, { rate, terms, ...made }: PriceInputs): Fragment {
  const { buyPrice, sellPrice }: Record<string, DecimalString> = JSON.parse(body);
  const { fee, margin, rounding } = terms;
  const marginPercent = margin?.value;
  const conversion = rate === null || marginPercent === undefined ? undefined : { rate: { ...rate, fixingDate: rate.fixingDate }, marginPercent };
  const places = buyPrice!.split('.')[1]?.length ?? 0;
  const { buy, sell } = derivePrices(made, fee.value, conversion, places, rounding?.value);
  return buy.map(({ step, value }, at) => {
    const isLast = at === buy.length - 1;
    const cell = (price: string, how: string) => html`<td>${price}<br><span lang="en">${how}</span></td>`;
    return html`<tr><th>${czechSteps.at(isLast ? -1 : at)}</th>${cell(isLast ? buyPrice! : value, step)}${cell(isLast ? sellPrice! : sell[at]!.value, sell[at]!.step)}</tr>`;
  });
}

function instantIn(timeZone: string, at: string): Fragment {
  const written = (language: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'long', timeZone }).format(Date.parse(at));
  const exact = Temporal.Instant.from(at).toZonedDateTimeISO(timeZone).toString();
  return html`${written('cs')}<br><span lang="en">${written('en-GB')}</span><br><code>${exact}</code>`;
}
