import { type Fragment, type Html, html, trusted } from '../ground/html.ts';
import { type Proof, proofText } from '../history/query/prove.ts';
import type { PriceInputs } from '../history/reading/answer-leaves.ts';
import { derivePrices, type PriceStepMade } from '../market/pricing.ts';
import { stepText } from './price.ts';

/**
 * One page about an answer, in Czech and English, for people who read and print it; the proof for programs is inside.
 */
export function evidencePage(proof: Proof, baseUrl: string, timeZone: string): string {
  const { answer, body } = proof;
  const file = `proof-${answer.requestId}.json`;
  return html`<!doctype html>
<html lang="cs"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Doklad o odpovědi ${answer.requestId}</title>
<style>${style}</style></head><body>
<h1>Doklad o odpovědi <span lang="en">Evidence of an answer</span></h1>
${inBoth(
  html`Služba zaznamenává každou odpověď a každou minutu záznam zapečetí. Níže je jedna odpověď tak, jak byla dána, a jak vznikly její ceny.`,
  html`The service records each of its answers and seals the record every minute. Below is one answer as it was given, and how its prices came about.`,
)}<table>
${row('Okamžik odpovědi', 'Answered', instantIn(timeZone, answer.answeredAt))}
${row('Služba', 'Service', html`<code>${baseUrl}</code>`)}
${row('Klíč, který se ptal', 'Key that asked', html`<code>${answer.keyId}</code>`)}
${row('Dotaz', 'Asked for', html`<code>${answer.route} ${answer.symbol}</code>`)}
${row('Číslo požadavku', 'Request id', html`<code>${answer.requestId}</code>`)}
${row('Stav HTTP', 'HTTP status', answer.status)}
</table>
${heading('Obsah odpovědi', 'Body of the answer')}
<pre>${body}</pre>
${pricesOf(proof, timeZone)}${heading('Důkaz', 'Proof')}
${sealOf(proof, timeZone)}<p><a download="${file}" href="data:application/json;base64,${base64(proofText(proof))}">${file}</a></p>
${inBoth(
  html`Kontrola bez této služby: <code>python3 verify.py</code>, za ním název tohoto souboru a souboru s pečetěmi. Platí, co program vypíše.`,
  html`To check it without this service: <code>python3 verify.py</code>, followed by the name of this file and of one with the seals. What the program prints counts.`,
)}</body></html>
`.text;
}

const style = trusted(`
:root{color-scheme:light dark;--page:#fff;--text:#12161c;--quiet:#545e6b;--line:#dfe3e8;--sunken:#f5f6f8;--link:#2448c5}
@media screen and (prefers-color-scheme:dark){
:root{--page:#12161c;--text:#e8ebf0;--quiet:#a2acb9;--line:#363f4b;--sunken:#1a212b;--link:#8fa8ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1.25rem;max-width:60rem;background:var(--page);color:var(--text)}
body{font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem}
h2{font-size:1.125rem;margin:2rem 0 .5rem;border-top:1px solid var(--line);padding-top:1rem;break-after:avoid}
[lang=en]{color:var(--quiet)}h1 [lang=en],h2 [lang=en]{font-weight:400}
p{margin:.25rem 0 .75rem;overflow-wrap:anywhere}
.two{display:grid;grid-template-columns:1fr 1fr;gap:0 2rem}
td [lang=en],th [lang=en]{font-weight:400;font-size:.875rem}th [lang=en]{display:block}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line)}
th,td{overflow-wrap:anywhere}th{font-weight:550;width:34%}td{font-variant-numeric:tabular-nums}
tr{break-inside:avoid}a{color:var(--link)}
code,pre{font-family:ui-monospace,Consolas,monospace;font-size:.875rem}
pre{background:var(--sunken);border:1px solid var(--line);padding:.75rem;margin:.5rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
@media(max-width:40rem){.two{grid-template-columns:1fr}}
@media print{:root{color-scheme:light}body{font-size:10pt;padding:0}a{color:inherit}@page{size:A4;margin:18mm}}
`);

function heading(czech: string, english: string): Html {
  return html`<h2>${czech} <span lang="en">${english}</span></h2>`;
}

/** A paragraph in both languages, side by side. */
function inBoth(czech: Html, english: Html): Html {
  return html`<div class="two"><p>${czech}</p>\n<p lang="en">${english}</p></div>\n`;
}

function row(czech: string, english: string, value: Fragment): Html {
  return html`<tr><th>${czech} <span lang="en">${english}</span></th><td>${value}</td></tr>`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** How the one price of an answer came about; of several how many there are. */
function pricesOf({ body, prices }: Proof, timeZone: string): Html | undefined {
  const [price, ...others] = prices;
  if (price === undefined) return undefined;
  if (others.length > 0)
    return inBoth(
      html`Počet cen v odpovědi: ${prices.length}. Z čeho každá vznikla, je v důkazu.`,
      html`The answer has ${prices.length} prices. The proof says what each was made from.`,
    );
  const head = [
    html`<th>Krok <span lang="en">Step</span></th>`,
    html`<th>Klient platí <span lang="en">Client pays</span></th>`,
    html`<th>Klient dostává <span lang="en">Client receives</span></th>`,
  ];
  const captured = html`<td colspan="2">${instantIn(timeZone, price.capturedAt)}</td>`;
  return html`<section>
${heading('Jak ceny vznikly', 'How the prices came about')}
<table><tr>${head}</tr>
${stepsOf(body, price)}
<tr><th>Cena zachycena <span lang="en">Price captured</span></th>${captured}</tr></table>
</section>
`;
}

const czechSteps: Readonly<Record<PriceStepMade['code'], string>> = {
  quote: 'Cena na burze',
  fee: 'Poplatek',
  rate: 'Kurz',
  margin: 'Měnová marže',
  rounding: 'Cena klienta',
};

/** The rows of a table that says how both prices of a ticker came about. The last step is what was answered. */
function stepsOf(body: string, { rate, terms: { fee, margin, rounding }, ...made }: PriceInputs): Fragment {
  const { buyPrice, sellPrice } = onlyTicker(body);
  const isConverted = rate !== null && margin !== undefined;
  const conversion = isConverted
    ? { rate: { ...rate, fixingDate: rate.fixingDate }, marginPercent: margin.value }
    : undefined;
  const places = buyPrice.split('.')[1]?.length ?? 0;
  const { buy, sell } = derivePrices(made, fee.value, conversion, places, rounding?.value);
  const cell = (value: string, done: PriceStepMade) =>
    html`<td>${value}<br><span lang="en">${stepText(done)}</span></td>`;
  const step = (name: string, paid: Fragment, received: Fragment) => html`<tr><th>${name}</th>${paid}${received}</tr>`;
  return buy.map((paid, at) => {
    const received = sell[at]!;
    const isLast = at === buy.length - 1;
    const [paidValue, receivedValue] = isLast ? [buyPrice, sellPrice] : [paid.value, received.value];
    return step(czechSteps[paid.made.code], cell(paidValue, paid.made), cell(receivedValue, received.made));
  });
}

/** The ticker of a body that has one: as a list of one, or by itself. */
function onlyTicker(body: string): { readonly buyPrice: string; readonly sellPrice: string } {
  const shown = JSON.parse(body);
  return shown.tickers?.[0] ?? shown;
}

/** Where the answer is in the record, and what seals it. */
function sealOf({ segment, head, seal }: Proof, timeZone: string): Fragment {
  const [chain, number] = segment.split(' ');
  const place = inBoth(
    html`Odpověď je v zapečetěném úseku ${number} řetězu ${chain}. Změna jediného znaku by změnila všechny pozdější otisky (SHA-256). Poslední z nich:`,
    html`The answer is in the sealed segment ${number} of chain ${chain}. A change of a single character would change every later hash (SHA-256). The last of them:`,
  );
  return [place, html`<pre>${head}</pre>\n`, sealingOf(seal, timeZone)];
}

function sealingOf({ day, due }: Proof['seal'], timeZone: string): Fragment {
  if (day !== null)
    return inBoth(
      html`To je pečeť dne ${day} (UTC). Porovnejte ji s pečetí, kterou provozovatel uložil mimo záznam: v e-mailu nebo v protokolu. Shoda dokazuje, že odpověď nebyla od té doby změněna.`,
      html`This is the seal of ${day} (UTC). Compare it with the seal that the operator keeps outside of the record, in a mail or a log. If they are equal, the answer has not been changed since.`,
    );
  if (due === null)
    return inBoth(
      html`Záznam po tomto úseku byl po uplynutí doby uchování smazán; k pečeti dne důkaz nevede.`,
      html`What followed this segment was deleted when its time was over: the proof does not lead to the seal of its day.`,
    );
  const open = inBoth(
    html`Den odpovědi ještě nemá pečeť. Vyžádejte si doklad znovu, až bude den (UTC) zapečetěn, což bude po:`,
    html`The day of the answer has no seal yet. Ask for the evidence again once the day (UTC) is sealed, which is after:`,
  );
  return [open, html`<p>${instantIn(timeZone, due)}</p>\n`];
}

function instantIn(timeZone: string, at: string): Fragment {
  const written = (language: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'long', timeZone }).format(Date.parse(at));
  const exact = Temporal.Instant.from(at).toZonedDateTimeISO(timeZone).toString();
  return html`${written('cs')}<br><span lang="en">${written('en-GB')}</span><br><code>${exact}</code>`;
}
