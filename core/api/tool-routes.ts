import { Type } from '@sinclair/typebox';
import { fail } from '../errors.ts';
import { fileResponse, jsonAnswer } from '../http/answer.ts';
import type { SurfaceRoutes } from '../http/app.ts';
import { hasBody, readJson } from '../http/body.ts';
import { jsonResult } from '../http/openapi.ts';
import { operationLimits } from '../http/operation-limits.ts';
import { servedTools } from '../http/served-tools.ts';
import { closedObject } from '../schema.ts';
import { isFile } from '../tools/file-answer.ts';

const toolList = closedObject({
  tools: Type.Array(
    closedObject({
      name: Type.String(),
      toolset: Type.String(),
      title: Type.String(),
      description: Type.String(),
      effect: Type.String({ enum: ['read', 'create', 'update', 'delete'] }),
      inputSchema: Type.Object({}),
      outputSchema: Type.Object({}),
    }),
  ),
});

/** `GET /api/tools` and `POST /api/tools/{name}`: the operations over plain HTTP. */
export const toolRoutes: SurfaceRoutes = (app, kernel, cut, guard) => {
  const executorFor = (request: Request) => servedTools(kernel, request, guard, cut, 'http');
  app.get(
    '/api/tools',
    async ({ request }) => jsonAnswer({ tools: await (await executorFor(request)).tools() }),
    {
      parse: 'none',
      detail: {
        summary: 'The tools that the caller may use',
        security: [{ bearer: [] }],
        responses: jsonResult(toolList),
      },
    },
  );
  app.post(
    '/api/tools/:name',
    async ({ request, params }) => {
      const executor = await executorFor(request);
      // The router returns null for a part of a path that does not decode (`%`, not UTF-8).
      const name: string | null = params.name;
      if (name === null) throw fail.NOT_FOUND('The path is not well-formed.');
      executor.countCall();
      const operation = executor.allowed(name);
      const input = operation && hasBody(request) ? await readJson(request, operationLimits(operation)) : {};
      const key = request.headers.get('idempotency-key');
      const options = { signal: request.signal, ...(key === null ? {} : { idempotencyKey: key }) };
      const answer = await executor.call(name, input, options);
      return isFile(answer) ? fileResponse(answer) : jsonAnswer(answer);
    },
    // Each operation has its own path in the OpenAPI document.
    { parse: 'none', detail: { hide: true } },
  );
};
