import type { Overview } from '../../generated/management-v1.d.ts';
import { conditions } from '../czech/conditions.ts';
import { counted } from '../format/decimal.ts';
import { saidText } from '../format/said.ts';
import { html } from '../html.ts';
import { say, tell } from '../language.ts';
import { Badge, When } from '../parts/blocks.ts';
import { useNarrow } from '../parts/narrow.ts';
import { hrefTo } from '../router.ts';
import { type Matter, matters } from './matters.ts';

const levels = {
  critical: { word: say('now'), tone: 'bad' },
  warning: { word: say('soon'), tone: 'warn' },
  info: { word: say('known'), tone: 'plan' },
} as const;

/** So many fit a phone's first screen. */
const narrowMax = 5;

/** What the service itself knows to be wrong or unusual, the most urgent first, each once. */
export function Attention({ overview }: { overview: Overview }) {
  const all = matters(overview);
  const isNarrow = useNarrow();
  if (all.length === 0) return html`<p><${Badge} state="nothing" tone="good" /></p>`;
  const max = isNarrow && all.length > narrowMax + 1 ? narrowMax : all.length;
  const rest = all.slice(max);
  return html`<div>
    <${List} of=${all.slice(0, max)} />
    ${rest.length > 0 && html`<details><summary>${counted(rest.length, 'more')}</summary><${List} of=${rest} /></details>`}
  </div>`;
}

function List({ of }: { of: readonly Matter[] }) {
  return html`<ul class="notes">${of.map((matter) => html`<${Row} key=${matter.text} matter=${matter} />`)}</ul>`;
}

/** A matter leads to where it can be looked into; its name is that of the rules for Prometheus and of the runbook. */
function Row({ matter: { level, text, condition, page, markets, name, sinceMs } }: { matter: Matter }) {
  const said = saidText(text, condition, conditions);
  return html`<li>
    <${Badge} state=${levels[level].word} tone=${levels[level].tone} />
    <div>
      ${page === null ? said : html`<a href=${hrefTo(page)}>${said}</a>`}
      ${markets.map((symbol) => html` <a key=${symbol} href=${hrefTo('markets', symbol)}>${say('Open {symbol}', { symbol })}</a>`)}
      ${sinceMs !== null && html` <small>${tell('since {instant}', { instant: html`<${When} atMs=${sinceMs} as="minute" />` })} <code>${name}</code></small>`}
    </div>
  </li>`;
}
