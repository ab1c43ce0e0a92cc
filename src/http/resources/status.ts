import { instantJson } from '../answer.ts';
import type { Resource } from '../resource.ts';

/** GET /v1/status (contract, ServiceStatus). Answers during maintenance too. */
export const status: Resource = {
  route: '/v1/status',
  answersInMaintenance: true,
  isNeverShed: true,
  answer: ({ now }, { service }) => instantJson(service.status(now)),
};
