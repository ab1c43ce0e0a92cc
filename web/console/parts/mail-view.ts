import { useEffect, useRef } from 'preact/hooks';
import { html } from '../html.ts';

/** Elements a notice is made of. Anything else is left out with what it holds. */
const allowed = new Set(
  'A B BODY BR CODE DIV EM H1 H2 H3 HR I LI OL P PRE SMALL SPAN STRONG TABLE TBODY TD TH THEAD TR U UL'.split(' '),
);

/**
 * Shows the HTML of a message without running, loading or linking anything: only known elements are copied, and of
 * their attributes only the style. It is set through the object model, because the page's policy refuses style
 * attributes, in frames as well. A shadow root keeps the message's styles to itself.
 */
export function MailView({ markup, label }: { markup: string; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    const shadow = box.current.shadowRoot ?? box.current.attachShadow({ mode: 'open' });
    const { body } = new DOMParser().parseFromString(withInertStyles(markup), 'text/html');
    shadow.replaceChildren(...copiesOf(body));
  }, [markup]);
  return html`<div ref=${box} class="mail" role="region" aria-label=${label} tabindex="0"></div>`;
}

const inertStyle = 'data-style';

/** Renames style attributes before they are parsed: the policy would report each of them. */
function withInertStyles(markup: string): string {
  return markup.replace(/<[^<>]*>/g, (tag) => tag.replace(/\sstyle=/gi, ` ${inertStyle}=`));
}

function copiesOf(node: Node): readonly Node[] {
  if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.textContent ?? '')];
  if (!(node instanceof HTMLElement) || !allowed.has(node.tagName)) return [];
  const copy = document.createElement(node.tagName === 'BODY' ? 'div' : node.tagName);
  copy.style.cssText = node.getAttribute(inertStyle) ?? '';
  copy.append(...[...node.childNodes].flatMap(copiesOf));
  return [copy];
}
