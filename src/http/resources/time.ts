import { isoInstant } from '../../contract/instant.ts';
import { instantJson } from '../answer.ts';
import type { Resource } from '../resource.ts';

/** GET /v1/time (contract, ServerTime). */
export const time: Resource = {
  route: '/v1/time',
  answersInMaintenance: false,
  isNeverShed: true,
  answer: ({ now }) => instantJson({ serverTime: isoInstant(now), serverTimeMs: now }),
};
