import { Page } from '../../board/page.ts';
import type { Answer, PageAnswer } from '../answer.ts';
import { prefersHtml } from '../negotiation.ts';
import type { Resource } from '../resource.ts';

/** The two forms of the root resource. */
export interface RootForms {
  readonly json: string;
  readonly html: string;
}

/** GET /: name, version and where to go from here; HTML for a browser (docs/decisions/0004). */
export function root(forms: RootForms, runTag: string, htmlHeaders: readonly string[]): Resource {
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
  return {
    route: '/',
    answersInMaintenance: true,
    answer: ({ accept }): Answer => (prefersHtml(accept) ? html : json),
  };
}
