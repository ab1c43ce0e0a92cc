import type { PriceReport } from '../../generated/management-v1.d.ts';
import { priceSteps } from '../czech/said.ts';
import { grouped } from '../format/decimal.ts';
import { saidText } from '../format/said.ts';
import { dayText, spanText } from '../format/time.ts';
import { classes, html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import { Facts, When } from '../parts/blocks.ts';

interface DerivationProps {
  readonly price: PriceReport;
  /** The currency of the prices, where it is known. */
  readonly quote?: string;
  /** The instant that ages are counted to. */
  readonly atMs: number;
}

/** How a price came about: both sides step by step, and the rate and terms in them. */
export function Derivation({ price, quote, atMs }: DerivationProps) {
  const { rate, buy, sell, terms } = price;
  return html`<div>
    <div class="pair">
      <${Steps} title=${say('A client buys')} steps=${buy} quote=${quote} />
      <${Steps} title=${say('A client sells')} steps=${sell} quote=${quote} />
    </div>
    <${TermFacts} terms=${terms} />
    ${rate && html`<${RateFacts} rate=${rate} ageMs=${atMs - rate.refreshedAtMs} />`}
    <${ChangeFacts} changes=${price.changes} />
  </div>`;
}

function RateFacts({ rate, ageMs }: { rate: NonNullable<PriceReport['rate']>; ageMs: number }) {
  return html`<${Facts}
    rows=${[
      [
        say('Rate'),
        tell(
          rate.fixingDate === null
            ? '<code>{rate}</code> from {source}'
            : '<code>{rate}</code> from {source}, fixing of {day}',
          { rate: grouped(rate.mid), source: rate.source, day: rate.fixingDate && dayText(rate.fixingDate) },
        ),
      ],
      [
        say('Age of the rate'),
        tell('{span}, read {instant}', {
          span: spanText(ageMs),
          instant: html`<${When} atMs=${rate.refreshedAtMs} />`,
        }),
      ],
      [say('Rate valid until'), html`<${When} atMs=${rate.validUntilMs} as="full" />`],
    ]}
  />`;
}

/** The percent changes, each with the price that it is counted from. */
function ChangeFacts({ changes }: { changes: PriceReport['changes'] }) {
  return html`<${Facts}
    rows=${changes.map(({ over, percent, origin, price, timestampMs }) => [
      say('Change {over}', { over }),
      html`<code>${grouped(percent)}</code> %${price !== null && html` ${tell('from <code>{price}</code>', { price: grouped(price) })}`}${
        origin === 'record'
          ? html` ${tell('in the record, {instant}', { instant: html`<${When} atMs=${timestampMs} as="full" />` })}`
          : `, ${say('by the source')}`
      }`,
    ])}
  />`;
}

/** The terms that the price is made on, each with its start. */
function TermFacts({ terms }: { terms: PriceReport['terms'] }) {
  const names = {
    fee: say('Fee'),
    margin: say('Margin'),
    precision: say('Decimals'),
    rounding: say('Rounding'),
  } as const;
  const unit = (what: string) => (what === 'fee' || what === 'margin' ? ' %' : '');
  return html`<${Facts}
    rows=${terms.values.map(({ what, value, fromMs }) => [
      names[what],
      html`<code>${what === 'rounding' ? word(value) : grouped(value)}</code>${unit(what)}, ${fromMs === null ? say('from the configuration') : tell('since {instant}', { instant: html`<${When} atMs=${fromMs} as="full" />` })}`,
    ])}
  />`;
}

/** A price step by step, every value exact to its last decimal; the last one is what clients see. */
function Steps({ title, steps, quote }: { title: string; steps: PriceReport['buy']; quote: string | undefined }) {
  return html`<table class="steps">
    <caption>${title}</caption>
    <thead><tr><th scope="col">${say('Step')}</th><th scope="col" class="number">${say('Value after it')}</th></tr></thead>
    <tbody>
      ${steps.map(({ step, stepCode, value }, at) => {
        const isLast = at === steps.length - 1;
        return html`<tr key=${at} class=${classes(isLast && 'served')}>
          <th scope="row">${saidText(step, stepCode, priceSteps)}</th>
          <td class="number"><span class="exact">${grouped(value)}</span>${isLast && quote !== undefined && html` <small>${quote}</small>`}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}
