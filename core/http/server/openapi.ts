import type { TObject, TSchema } from '@sinclair/typebox';
import type { DocumentDecoration, Elysia } from 'elysia';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ApiDocument } from './reference-page.ts';

const errorResponse = {
  description: 'The request was refused',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** The request body of a route, for its `detail`. */
export function jsonBody(schema: TSchema): NonNullable<DocumentDecoration['requestBody']> {
  // TypeBox schemas follow OpenAPI 3.1, but Elysia's types are those of 3.0.
  return { required: true, content: { 'application/json': { schema: schema as never } } };
}

/** A request body with files and the parameters of an operation, for its `detail`. */
export function filesBody({ properties }: TObject): NonNullable<DocumentDecoration['requestBody']> {
  const parameters = Object.entries(properties).filter(
    ([, { type }]) => type !== 'array' && type !== 'object',
  );
  const schema = {
    type: 'object',
    properties: {
      ...Object.fromEntries(parameters),
      file: { type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream' } },
    },
    required: ['file'],
  };
  return { required: true, content: { 'multipart/form-data': { schema: schema as never } } };
}

/** The parameters of an operation that a query can have. */
export const textParameters = ({ properties, required = [] }: TObject) =>
  Object.entries(properties)
    .filter(([, { type }]) => type !== 'array' && type !== 'object')
    .map(([name, schema]) => ({
      name,
      in: 'query' as const,
      required: required.includes(name),
      schema: schema as never,
    }));

/** A body that is a file. */
export const streamedBody = (): NonNullable<DocumentDecoration['requestBody']> => ({
  required: true,
  content: {
    'application/octet-stream': {
      schema: { type: 'string', contentMediaType: 'application/octet-stream' } as never,
    },
  },
});

/** A success response that is a text or a file of a media type, for its `detail`. */
export const mediaResult = (
  mediaType: 'application/octet-stream' | 'text/html',
): NonNullable<DocumentDecoration['responses']> => ({
  '200': {
    description: 'Done',
    content: { [mediaType]: { schema: { type: 'string', contentMediaType: mediaType } as never } },
  },
});

/** The success response of a route, for its `detail`. */
export function jsonResult(schema: TSchema): NonNullable<DocumentDecoration['responses']> {
  return { '200': { description: 'Done', content: { 'application/json': { schema: schema as never } } } };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description: 'Under one key a change is done once, within a day; sent again, it is answered the same.',
};

/** The OpenAPI 3.1 document of a running server: the mounted routes, and one path per operation. */
export function openApiDocument(app: Elysia, kernel: Kernel): ApiDocument {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of app.routes) {
    const { detail } = (route.hooks ?? {}) as { detail?: { hide?: boolean; responses?: object } };
    if (!detail || detail.hide) continue;
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: {
        ...(parameters.length > 0 ? { parameters } : {}),
        ...detail,
        responses: { '200': { description: 'Done' }, ...detail.responses, default: errorResponse },
      },
    };
  }
  for (const operation of kernel.operations.values()) {
    paths[`/api/tools/${operation.name}`] = {
      post: {
        operationId: operation.name,
        tags: [operation.toolset],
        summary: operation.title,
        description: operation.description,
        security: [{ bearer: [] }],
        ...(operation.effect === 'read' ? {} : { parameters: [idempotencyKey] }),
        requestBody: { required: true, content: { 'application/json': { schema: operation.input } } },
        responses: {
          '200': {
            description: 'Done',
            content: {
              'application/json': { schema: operation.output },
              ...Object.fromEntries((operation.files ?? []).map((mediaType) => [mediaType, {}])),
            },
          },
          default: errorResponse,
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Trivet', version: kernel.host.version, license: { name: 'MIT' } },
    servers: [{ url: kernel.host.origin() }],
    paths: paths as ApiDocument['paths'],
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['code', 'message'],
              properties: {
                code: { type: 'string' },
                message: { type: 'string' },
                cause: { type: 'string' },
                tip: { type: 'string', description: 'Only on /api/tools' },
              },
            },
          },
        },
      },
    },
  };
}
