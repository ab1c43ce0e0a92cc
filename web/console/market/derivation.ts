import type { PriceReport } from '../../generated/management-v1.d.ts';
import { grouped } from '../format/decimal.ts';
import { classes, html } from '../html.ts';

/** A price step by step, every value exact to its last decimal; the last one is what clients see. */
export function Derivation({ title, steps, quote }: { title: string; steps: PriceReport['buy']; quote: string }) {
  return html`<table class="steps">
    <caption>${title}</caption>
    <thead><tr><th scope="col">Step</th><th scope="col" class="number">Value after it</th></tr></thead>
    <tbody>
      ${steps.map(({ step, value }, at) => {
        const isLast = at === steps.length - 1;
        return html`<tr key=${at} class=${classes(isLast && 'served')}>
          <th scope="row">${step}</th>
          <td class="number"><span class="exact">${grouped(value)}</span>${isLast && html` <small>${quote}</small>`}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}
