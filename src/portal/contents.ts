import { type Fragment, type Html, html } from '../html.ts';
import { link, type Site } from './site.ts';

/** An entry of a table of contents; deep ones are left out where there is little room. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly below?: readonly Entry[];
  readonly deep?: boolean;
}

/** The table of contents of a long page. */
export function contentsList(entries: readonly Entry[]): Html {
  return html`<nav class="contents" aria-labelledby="contents"><h2 id="contents">On this page</h2>
${list(entries)}</nav>
`;
}

function list(entries: readonly Entry[]): Html {
  const items = entries.map(
    ({ id, title, below }) =>
      html`<li><a href="#${id}">${title}</a>${below === undefined ? undefined : list(below)}</li>\n`,
  );
  return entries[0]?.deep ? html`<ul class="deep">\n${items}</ul>\n` : html`<ul>\n${items}</ul>\n`;
}

/** A page beside others of its kind. */
export interface Sibling {
  readonly route: string;
  readonly title: Fragment;
}

/** The pages of one kind, with the headings of the one that is shown below it. Left out where there is little room. */
export function siblingList(
  site: Site,
  {
    label,
    siblings,
    route,
    headings = [],
  }: {
    readonly label: string;
    readonly siblings: readonly Sibling[];
    readonly route: string;
    readonly headings?: readonly Entry[];
  },
): Html {
  const items = siblings.map((sibling) => {
    const isShown = sibling.route === route;
    const current = isShown ? html` aria-current="page"` : undefined;
    const below = isShown && headings.length > 0 ? list(headings) : undefined;
    return html`<li><a href="${link(site, sibling.route)}"${current}>${sibling.title}</a>${below}</li>\n`;
  });
  return html`<nav class="contents siblings" aria-labelledby="siblings"><h2 id="siblings">${label}</h2>
<ul>
${items}</ul>
</nav>
`;
}
