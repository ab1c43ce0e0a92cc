import { type Static, Type } from 'typebox';
import type { AnnotatedSchema } from './schema-kinds.ts';
import { mailSchema, noticesSchema } from './schema-notices.ts';
import { exchangeSchema, feedSchema, pricingSchema, ratesSchema } from './schema-prices.ts';
import { adminSchema, limitsSchema, logsSchema, redisSchema, serverSchema, storeSchema } from './schema-server.ts';

/** The whole configuration as it is written: what is accepted, its defaults, ranges and reasons. */
export const configurationSchema = Type.Object({
  server: serverSchema,
  admin: adminSchema,
  store: storeSchema,
  redis: redisSchema,
  exchange: exchangeSchema,
  pricing: pricingSchema,
  rates: ratesSchema,
  limits: limitsSchema,
  mail: mailSchema,
  notices: noticesSchema,
  feed: feedSchema,
  logs: logsSchema,
});

/** Every value as written, defaults filled in, each by itself allowed. */
export type Settings = Static<typeof configurationSchema>;

/** The same schema as plain data, for whoever walks it. */
export const annotatedSchema = configurationSchema as unknown as AnnotatedSchema;
