import { errorTable } from './errors.ts';
import { contractLimits, type LimitCategory, type LimitFigures, limitTable } from './limits.ts';
import written from './openapi.json' with { type: 'json' };
import { type Described, type DescribedService, operation, resources } from './openapi-operations.ts';
import { errorResponse, headerComponents, sharedErrors } from './openapi-responses.ts';
import { apiVersion, schemas } from './schemas.ts';

/** The part of OpenAPI 3.1 that the document uses. */
export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** The OpenAPI 3.1 document, from the schemas and tables the code itself uses. Equal services give an equal document, member order included. */
export function openApiDocument({ limits = contractLimits, ...addresses }: DescribedService) {
  const service = { ...addresses, limits };
  return {
    openapi: '3.1.0',
    info: info(service),
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: service.baseUrl, description: 'The service this document describes.', 'x-internal': false }],
    security: [{ apiKey: [] }],
    tags: written.tags,
    paths: Object.fromEntries(resources.map((resource) => [resource.path, { get: operation(resource, service) }])),
    components: {
      schemas: schemas as Readonly<Record<string, unknown>>,
      headers: headerComponents(limits),
      responses: Object.fromEntries(
        Object.entries(sharedErrors).map(([name, errors]) => [name, errorResponse(errors, service)]),
      ),
      securitySchemes: { apiKey: written.securityScheme },
    },
    externalDocs: { description: 'Every error, what causes it and what to do.', url: service.errorsUrl },
  };
}

function info({ baseUrl, limits }: Described) {
  return {
    title: 'Market Data API',
    version: apiVersion,
    summary: 'Server time, service status, markets and current client prices of an exchange.',
    description: introduction(limits),
    contact: { name: 'The operator of this service', url: baseUrl },
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  };
}

const transportCodes = sharedErrors.Transport.map((code) => `${errorTable[code].status} \`${code}\``).join(', ');

/** `info.description`: what a client must know before the first request, in CommonMark. */
function introduction(limits: LimitFigures): string {
  return written.introduction
    .join('\n')
    .replace('{limits}', limitRows(limits))
    .replace('{transportCodes}', transportCodes);
}

function limitRows(limits: LimitFigures): string {
  const rows = Object.entries(limitTable).map(
    ([category, { name, counting }]) => `| ${name} | ${limits[category as LimitCategory]} | ${counting} |`,
  );
  return rows.join('\n');
}
