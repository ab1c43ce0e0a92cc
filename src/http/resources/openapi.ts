import { Page } from '../../board/page.ts';
import { asciiJson, type PageAnswer } from '../answer.ts';
import type { Resource } from '../resource.ts';

/** GET /openapi/v1.json: the description of the API, for any origin to read. */
export function openapi(document: object): Resource {
  const answer: PageAnswer = {
    kind: 'page',
    page: new Page(asciiJson(document)),
    contentType: 'application/json',
    cacheControl: 'public, max-age=300',
    vary: 'Accept-Encoding',
    extraHeaders: ['Access-Control-Allow-Origin', '*'],
  };
  return { route: '/openapi/v1.json', answersInMaintenance: true, answer: () => answer };
}
