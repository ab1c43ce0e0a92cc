import type { TermEffect } from '../../generated/management-v1.d.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { Preview, usePreview } from '../parts/preview.ts';
import { Shown } from './term-form.ts';

/** A term as a proposal holds it: every value as text. */
interface ProposedTerm {
  readonly from?: number;
  readonly scope: string;
  readonly subject?: string;
  readonly feePercent?: string;
  readonly marginPercent?: string;
  readonly pricePrecision?: string;
  readonly rounding?: string;
}

const inherit = 'inherit';

/** What a proposed term would change of the present prices, for whoever is to confirm it. */
export function ProposedEffect({ term }: { term: unknown }) {
  const outcome = usePreview<TermEffect>('terms/preview', draftOf(term as ProposedTerm));
  return html`<${Preview} title=${say('Prices before and after')} hint=${say('Loading …')} outcome=${outcome}>
    ${(effect: TermEffect) => html`<${Shown} effect=${effect} />`}
  <//>`;
}

/** The same as the form sends it. */
function draftOf({ from, scope, subject, ...values }: ProposedTerm): object {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const own = given.filter(([, value]) => value !== inherit);
  const inherits = given.filter(([, value]) => value === inherit).map(([field]) => field);
  return {
    scope,
    ...(subject !== undefined && { subject }),
    ...(from !== undefined && { fromMs: from }),
    ...Object.fromEntries(own.map(([field, value]) => [field, field === 'pricePrecision' ? Number(value) : value])),
    ...(inherits.length > 0 && { inherits }),
  };
}
