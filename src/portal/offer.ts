import type { OpenApiDocument } from '../contract/openapi.ts';
import { type Brand, operatorOf } from './brand.ts';
import type { Language } from './language.ts';
import type { Site } from './site.ts';

/** The service that pages are made for, whatever their language. */
export interface PortalOffer {
  readonly document: OpenApiDocument;
  readonly baseUrl: string;
  readonly errorsUrl: string;
  readonly version: string;
  /** What the operator says of themselves; nothing when left out. */
  readonly brand?: Brand | undefined;
}

/** The service as the pages of one language describe it. */
export function siteIn({ brand = {}, ...offer }: PortalOffer, language: Language): Site {
  return { ...offer, operator: operatorOf(brand), language };
}
