import type { AuditEntry } from '../../generated/management-v1.d.ts';
import { grouped } from '../format/decimal.ts';
import { localText, withLocalTimes } from '../format/time.ts';
import { word } from '../language.ts';
import { approvalActions, approvalValues } from './approvals.ts';
import { sourceChanges } from './said.ts';

type Details = Readonly<Record<string, unknown>>;
type Words = (details: Details, subject: string) => string | undefined;

/** What was done, from the details of the entry; `undefined` where an older version recorded too little of them. */
export const auditSentences: Readonly<Record<AuditEntry['action'], Words>> = {
  'account.create': with1('email', (email) => `Vytvořen účet ${email}.`),
  'account.activate': with1('email', (email) => `Aktivován účet ${email}.`),
  'account.deactivate': with1('email', (email) => `Deaktivován účet ${email}.`),
  'account.update': ({ email, before, language }) => {
    if (!isText(email) || !isText(before)) return undefined;
    if (email !== before) return `Změněna e-mailová adresa ${before} na ${email}.`;
    return isText(language) ? `Změněn jazyk upozornění pro ${email} na ${language}.` : undefined;
  },
  'account.erase': (details, id) =>
    typeof details.keys === 'number'
      ? `Vymazán účet ${id}; zneplatněných klíčů: ${grouped(String(details.keys), 'cs')}.`
      : undefined,

  'key.create': with1('email', (email, details) => `Vytvořen klíč pro ${email}${labelOf(details)}.`),
  'key.enable': ofKey('Povolen'),
  'key.disable': ofKey('Zakázán'),
  'key.revoke': ofKey('Zneplatněn'),
  'key.update': ofKey('Změněn'),
  'key.rotate': ({ replacedLastFour, replacedBy, label }) =>
    isText(replacedLastFour) && isText(replacedBy)
      ? `Klíč končící na ${replacedLastFour}${labelOf({ label })} nahrazen klíčem ${replacedBy}.`
      : undefined,

  'market.pause': ofMarket('Pozastaveno obchodování'),
  'market.resume': ofMarket('Obnoveno obchodování'),
  'market.hold': ofMarket('Podrženy ceny'),
  'market.release': ofMarket('Uvolněny ceny'),
  'market.accept': ({ source }, symbol) =>
    `Přijato, co bylo zpochybněno: ${symbol}${isText(source) ? ` od ${source}` : ''}.`,
  'market.delist': ({ reason }, symbol) => {
    if (reason === undefined) return undefined;
    return `Vyřazen ${symbol}, natrvalo${isText(reason) ? `: ${reason}` : ''}.`;
  },
  'market.forget': ({ count }) =>
    typeof count === 'number' ? `Odebrány trhy, které nikdy neměly cenu a na burze skončily: ${count}.` : undefined,
  'market.hold_back': ({ missing }, symbol) =>
    typeof missing === 'number'
      ? `Zadrženo vyřazení ${symbol}: najednou chybí více než desetina trhů (${missing}).`
      : undefined,

  'rate.hold': (_, quote) => `Podržen kurz ${quote}.`,
  'rate.release': (_, quote) => `Uvolněn kurz ${quote}.`,
  'rate.accept': ({ mid }, quote) => (isText(mid) ? `Přijat kurz ${quote}: ${mid}.` : undefined),
  'catalogue.accept': ({ count, first }, source) => ofList('Přijaty nové trhy ze seznamu', source, count, first),
  'catalogue.reject': ({ count, first, decision }, source) =>
    ofList(
      decision === 'keep' ? 'Ponechány trhy, které chybí na seznamu' : 'Odmítnuty nové trhy ze seznamu',
      source,
      count,
      first,
    ),
  'catalogue.hold_back': ({ count, reason }, source) =>
    typeof count === 'number'
      ? `Zadrženy trhy ze seznamu ${source} (${count}): ${reason === 'growth' ? 'příliš mnoho nových najednou' : 'více než markets.max'}.`
      : undefined,

  'window.announce': ofWindow('Ohlášena'),
  'window.extend': ofWindow('Prodloužena'),
  'window.end': ofWindow('Ukončena'),
  'window.cancel': ofWindow('Zrušena'),

  'incident.open': ofIncident('Otevřen'),
  'incident.update': ofIncident('Doplněn'),
  'incident.close': ofIncident('Uzavřen'),

  'approval.propose': ofApproval('Navrženo'),
  'approval.confirm': ofApproval('Potvrzeno'),
  'approval.reject': ofApproval('Odmítnuto'),
  'approval.withdraw': ofApproval('Vzato zpět'),

  'term.set': ofTerm('Nastaveno'),
  'term.cancel': ofTerm('Zrušeno'),

  'token.create': ({ name, role }) =>
    isText(name) && isText(role) ? `Vytvořen token operátora „${name}“ s rolí ${word(role, 'cs')}.` : undefined,
  'token.revoke': with1('name', (name) => `Zneplatněn token operátora „${name}“.`),
  'source_token.create': with1('source', (source) => `Vytvořen token pro stroj zdroje „${source}“.`),
  'source_token.revoke': with1('source', (source) => `Zneplatněn token pro stroj zdroje „${source}“.`),

  'session.create': with1('address', (address) => `Přihlášení z ${address}.`),
  'session.end': () => 'Odhlášení.',
  'session.refuse': ({ address, person, purpose }, subject) => {
    if (!isText(address)) return undefined;
    // Of a known token the entry is about that.
    const token = subject === purpose ? 'chybný token' : 'token, který už neplatí';
    return `Odmítnuto z ${address}: ${isText(person) ? `${person} nemá roli` : token}.`;
  },

  'sources.reload': ({ changeCodes }) =>
    Array.isArray(changeCodes) ? `Znovu načteny zdroje: ${changeCodes.map(changeText).join('; ')}.` : undefined,
  'alert.acknowledge': ({ name, subject }) =>
    isText(name) && isText(subject) ? `Výstraha ${name} (${subject}) vzata na vědomí.` : undefined,
  'subscription.remove': () => 'Odebrán odběr zpráv o stavu.',
  'store.accept': () => 'Přijato, že z databáze zmizely klíče a údržby.',

  'history.hold': ({ fromMs, toMs, reason }) =>
    isInstant(fromMs) && isInstant(toMs) && isText(reason)
      ? `Uchovává záznam od ${localText(fromMs, 'full')} do ${localText(toMs, 'full')}: ${reason}`
      : undefined,
  'history.release': () => 'Už neuchovává úsek záznamu.',
  'history.accept': ({ heads }) =>
    Array.isArray(heads)
      ? `Přijímá, že záznam končí: ${heads.map(({ chain, number }) => `řetězec ${chain} segmentem ${number}`).join(', ') || 'ničím'}.`
      : undefined,
  'history.deleted': ({ first, last, untilMs }) =>
    isInstant(untilMs) ? `Smazán záznam před ${localText(untilMs, 'full')}: segmenty ${first} až ${last}.` : undefined,
};

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isInstant(value: unknown): value is number {
  return typeof value === 'number';
}

/** A sentence that needs one text. */
function with1(name: string, said: (value: string, details: Details) => string): Words {
  return (details) => {
    const value = details[name];
    return isText(value) ? said(value, details) : undefined;
  };
}

function labelOf({ label }: Details): string {
  return isText(label) ? ` („${label}“)` : '';
}

function ofKey(verb: string): Words {
  return (details) => {
    const { email, lastFour } = details;
    if (!isText(email) || !isText(lastFour)) return undefined;
    return `${verb} klíč končící na ${lastFour}, ${email}${labelOf(details)}.`;
  };
}

function ofMarket(what: string): Words {
  return ({ count }, symbol) => {
    if (symbol !== 'all') return `${what} ${symbol}.`;
    return typeof count === 'number' ? `${what} všech trhů; změněných: ${grouped(String(count), 'cs')}.` : undefined;
  };
}

function ofList(what: string, source: string, count: unknown, first: unknown): string | undefined {
  if (typeof count !== 'number' || !Array.isArray(first)) return undefined;
  const named = first.slice(0, 5);
  const more = count - named.length;
  return `${what} ${source}: ${named.join(', ')}${more > 0 ? ` a další: ${more}` : ''}.`;
}

function ofWindow(verb: string): Words {
  return ({ fromMs, toMs }) =>
    isInstant(fromMs) && isInstant(toMs)
      ? `${verb} údržba od ${localText(fromMs, 'full')} do ${localText(toMs, 'full')}.`
      : undefined;
}

function ofIncident(verb: string): Words {
  return ({ title, state, isTold, isReviewed, before, isFound }) => {
    if (!isText(title) || !isText(state)) return undefined;
    const told = [
      isTold === true && `nyní ${word(state, 'cs')}`,
      isText(before) && `dříve „${before}“`,
      isReviewed === true && 'se závěrem',
      isFound === true && 'o nalezeném výpadku',
    ];
    const what = told.filter((each) => each !== false).join(', ');
    return `${verb} incident „${title}“${what === '' ? '' : `: ${what}`}.`;
  };
}

const termValues = {
  feePercent: 'poplatek',
  marginPercent: 'přirážka',
  pricePrecision: 'přesnost',
  rounding: 'zaokrouhlení',
} as const;

function ofTerm(verb: string): Words {
  return (details) => {
    const { fromMs, subject } = details;
    if (!isInstant(fromMs)) return undefined;
    const values = Object.entries(termValues).flatMap(([field, name]) => {
      const value = details[field];
      return value === undefined ? [] : `${name} ${word(grouped(String(value), 'cs'), 'cs')}`;
    });
    const whom = isText(subject) ? subject : 'celou službu';
    return `${verb} pro ${whom} od ${localText(fromMs, 'full')}: ${values.join(', ')}.`;
  };
}

interface ProposedValue {
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
}

function ofApproval(verb: string): Words {
  return ({ action, of, values, proposedBy }) => {
    if (!isText(action) || !isText(of) || !Array.isArray(values)) return undefined;
    const name = approvalActions[action as keyof typeof approvalActions] ?? action;
    const changes = (values as readonly ProposedValue[]).map(
      ({ what, from, to }) => `${approvalValues[what] ?? what} ${shown(from)} → ${shown(to)}`,
    );
    const by = isText(proposedBy) ? `; navrhl(a) ${proposedBy}` : '';
    return `${verb}: ${name} ${of === 'service' ? 'celou službu' : of} (${changes.join(', ')})${by}.`;
  };
}

/** A value of a proposed change as a sentence has it. */
function shown(text: string | null): string {
  if (text === null) return '–';
  return text === 'confirmation' ? 'potvrzením' : withLocalTimes(text);
}

function changeText({ code, values }: { readonly code: keyof typeof sourceChanges; readonly values: object }): string {
  return (sourceChanges[code] as (values: object) => string)(values);
}
