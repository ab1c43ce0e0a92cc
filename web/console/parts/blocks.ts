import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../api/client.ts';
import { type InstantStyle, localText, utcText } from '../format/time.ts';
import { type Tone, toneOf } from '../format/words.ts';
import { type Content, html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import type { Polled } from '../live/polled.ts';
import { isAllowed, type Role } from '../state.ts';
import { useNarrow } from './narrow.ts';
import { showTitle } from './title.ts';

interface PageProps {
  readonly title: string;
  /** Beside the title. */
  readonly beside?: Content;
  /** Right of the title: the page's own actions. */
  readonly actions?: Content;
  /** The page above this one, linked above the title. */
  readonly up?: { readonly href: string; readonly text: string };
  readonly children?: Content;
}

/** A page: its title goes to the window, and the focus to its heading, so that a screen reader announces it. */
export function Page({ title, beside, actions, up, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    showTitle(title);
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return html`<div class="page">
    ${up && html`<p class="up"><a href=${up.href}>← ${up.text}</a></p>`}
    <div class="page-head"><div class="page-title"><h1 tabindex="-1" ref=${heading}>${title}</h1>${beside}</div>${actions && html`<div class="actions">${actions}</div>`}</div>
    ${children}
  </div>`;
}

/** A part of a page with a heading of its own, and `aside` to the right of it. */
export function Section({ title, aside, children }: { title: string; aside?: Content; children?: Content }) {
  return html`<section class="section">
    <header class="section-head"><h2>${title}</h2>${aside && html`<div class="section-aside">${aside}</div>`}</header>
    ${children}
  </section>`;
}

interface FoldProps {
  readonly title: string;
  readonly aside?: Content;
  /** What it holds; not made, and so not asked for, while it is folded. */
  readonly children: () => Content;
}

/** A section that a phone folds to its heading until it is opened. */
export function FoldedSection({ title, aside, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false);
  if (!useNarrow()) return html`<${Section} title=${title} aside=${aside}>${children()}<//>`;
  return html`<details class="section fold" open=${isOpen} onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
    <summary><h2>${title}</h2></summary>
    ${isOpen && aside && html`<p class="section-aside">${aside}</p>`}
    ${isOpen && children()}
  </details>`;
}

/** Shown in place of an empty list: what it would hold, and what to do. */
export function Empty({ title, children }: { title: string; children?: Content }) {
  return html`<div class="empty"><p class="empty-title">${title}</p>${children && html`<p>${children}</p>`}</div>`;
}

/** A refusal or a failure, in the words of the service, with its request id for the log. */
export function ProblemBlock({ problem, retry }: { problem: Problem; retry?: () => void }) {
  const title = say(problem.kind === 'unreachable' ? 'No answer' : 'Not possible');
  const requestId = problem.kind === 'refused' ? problem.requestId : undefined;
  return html`<div class="problem" role="alert">
    <p><strong>${title}.</strong> ${problem.detail}</p>
    ${requestId && html`<p class="small">${tell('Request id in the log: <code>{id}</code>', { id: requestId })}</p>`}
    ${retry && html`<p><button type="button" onClick=${retry}>${say('Try again')}</button></p>`}
  </div>`;
}

/**
 * Shows what was asked for: the content once there is some, before that a note, and the problem when there never
 * was an answer. The banner reports a lost connection, so old content stays.
 */
export function Loaded<T>({ polled, children }: { polled: Polled<T>; children: (value: T) => Content }) {
  if (polled.value !== undefined) return children(polled.value);
  if (polled.problem !== undefined) return html`<${ProblemBlock} problem=${polled.problem} retry=${polled.refresh} />`;
  return html`<p class="loading" role="status">${say('Loading …')}</p>`;
}

interface TileProps {
  readonly name: string;
  readonly className?: string;
  readonly note?: Content;
  readonly children?: Content;
}

/** A figure with its name, and a note below. */
export function Tile({ name, className = '', note, children }: TileProps) {
  return html`<div class=${`tile ${className}`}>
    <p class="tile-name">${name}</p>
    <p class="tile-value">${children}</p>
    ${note && html`<p class="tile-note">${note}</p>`}
  </div>`;
}

/** An instant in local time, with UTC where the pointer rests and for programs. */
export function When({ atMs, as = 'minute' }: { atMs: number; as?: InstantStyle }) {
  const utc = utcText(atMs);
  return html`<time dateTime=${utc.replace(' UTC', 'Z').replace(' ', 'T')} title=${utc}>${localText(atMs, as)}</time>`;
}

/** A state as a word with a mark; its colour is only an addition. */
export function Badge({ state, tone, children }: { state: string; tone?: Tone; children?: Content }) {
  return html`<span class=${`badge ${tone ?? toneOf(state)}`}>${children ?? word(state)}</span>`;
}

/** What only some may do: shown to holders of the role. */
export function Allowed({ role, children }: { role: Role; children?: Content }) {
  return isAllowed(role) ? html`<span class="buttons">${children}</span>` : null;
}

/** Shown in place of a missing value. */
export function Missing({ children = say('none') }: { children?: Content }) {
  return html`<span class="missing">${children}</span>`;
}

interface FactsProps {
  readonly rows: readonly (readonly [name: string, value: Content])[];
  /** For short values: more of them beside each other. */
  readonly isDense?: boolean;
}

/** Names and values. `rows` without a value are left out. */
export function Facts({ rows, isDense = false }: FactsProps) {
  const shown = rows.filter(([, value]) => value !== undefined);
  return html`<dl class=${isDense ? 'facts dense' : 'facts'}>
    ${shown.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}
