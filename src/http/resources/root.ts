import { Page } from '../../board/page.ts';
import type { Answer, PageAnswer } from '../answer.ts';
import { prefersHtml, prefersMarkdown } from '../negotiation.ts';
import type { Resource } from '../resource.ts';

/** The forms of the root resource, each in ASCII. */
export interface RootForms {
  readonly json: string;
  readonly html: string;
  readonly markdown: string;
}

/** GET /: name, version and where to go from here; HTML for a browser (docs/decisions/0004), Markdown where it is asked for. */
export function root(forms: RootForms, htmlHeaders: readonly string[]): Resource {
  const shared = { kind: 'page', cacheControl: 'public, max-age=300', vary: 'Accept, Accept-Encoding' } as const;
  const json: PageAnswer = {
    ...shared,
    page: new Page(forms.json),
    contentType: 'application/json',
    extraHeaders: [],
  };
  const html: PageAnswer = {
    ...shared,
    page: new Page(forms.html),
    contentType: 'text/html; charset=utf-8',
    extraHeaders: htmlHeaders,
  };
  const markdown: PageAnswer = {
    ...shared,
    page: new Page(forms.markdown),
    contentType: 'text/markdown; charset=utf-8',
    extraHeaders: [],
  };
  return {
    route: '/',
    answersInMaintenance: true,
    answer: ({ accept }): Answer => (prefersMarkdown(accept) ? markdown : prefersHtml(accept) ? html : json),
  };
}
