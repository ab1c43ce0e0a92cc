import { useEffect, useRef } from 'preact/hooks';
import { type Content, html } from '../html.ts';

interface PageProps {
  readonly title: string;
  /** Stands beside the title. */
  readonly beside?: Content;
  /** Stands right of the title: the page's own actions. */
  readonly actions?: Content;
  /** Where one comes from, above the title. */
  readonly up?: { readonly href: string; readonly text: string };
  readonly children?: Content;
}

/** A page: its title goes to the window, and the focus to its heading, so that a screen reader says where one is. */
export function Page({ title, beside, actions, up, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Market Data API`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return html`<div class="page">
    ${up && html`<p class="up"><a href=${up.href}>← ${up.text}</a></p>`}
    <div class="page-head"><div class="page-title"><h1 tabindex="-1" ref=${heading}>${title}</h1>${beside}</div>${actions && html`<div class="actions">${actions}</div>`}</div>
    ${children}
  </div>`;
}
