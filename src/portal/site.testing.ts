import { openApiDocument } from '../contract/openapi.ts';
import type { Language } from '../ground/languages.ts';
import { type Site, siteIn } from './site.ts';

const addresses = { baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors' };

/** A service whose operator says nothing of themselves. */
export function siteFor(language: Language): Site {
  return siteIn({ ...addresses, document: openApiDocument(addresses), version: '1.0.0' }, language);
}
