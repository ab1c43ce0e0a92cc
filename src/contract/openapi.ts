import { contractLimits, headerNames } from './limits.ts';
import { introduction } from './openapi-introduction.ts';
import { type Described, type DescribedService, operation } from './openapi-operations.ts';
import { resources, tags } from './openapi-resources.ts';
import { errorResponse, headerComponents, sharedErrors } from './openapi-responses.ts';
import { apiVersion, schemas } from './schemas.ts';

/** The part of OpenAPI 3.1 that the document uses. */
export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/**
 * The OpenAPI 3.1 document, from the schemas and tables the code itself uses. Equal services give an equal document,
 * member order included.
 */
export function openApiDocument({ limits = contractLimits, ...addresses }: DescribedService) {
  const service = { ...addresses, limits };
  return {
    openapi: '3.1.0',
    info: info(service),
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: service.baseUrl, description: 'The service this document describes.', 'x-internal': false }],
    security: [{ apiKey: [] }],
    tags,
    paths: Object.fromEntries(resources.map((resource) => [resource.path, { get: operation(resource, service) }])),
    components: {
      schemas: schemas as Readonly<Record<string, unknown>>,
      headers: headerComponents(limits),
      responses: Object.fromEntries(
        Object.entries(sharedErrors).map(([name, errors]) => [name, errorResponse(errors, service)]),
      ),
      securitySchemes: { apiKey: securityScheme },
    },
    externalDocs: { description: 'Every error, what causes it and what to do.', url: service.errorsUrl },
  };
}

const securityScheme = {
  type: 'apiKey',
  in: 'header',
  name: headerNames.apiKey,
  description:
    'An API key, as it is, without a prefix. Make one in the client application, under profile and security.',
};

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
