import { Type } from '@sinclair/typebox';
import { fail } from '../base/errors.ts';
import { jsonAnswer } from '../http/answer/answer.ts';
import { fileResponse } from '../http/answer/file-response.ts';
import type { SurfaceRoutes } from '../http/server/app.ts';
import { hasBody, readJson } from '../http/request/body.ts';
import { isMultipart } from '../http/request/given-files.ts';
import { jsonResult } from '../http/server/openapi.ts';
import { operationLimits } from '../http/request/operation-limits.ts';
import { servedTools } from '../http/server/served-tools.ts';
import { closedObject } from '../base/schema.ts';
import { isFile } from '../tools/file-answer.ts';
import { callWithFiles, fileRoute, formRoute, putRoute } from './file-routes.ts';

const toolList = closedObject({
  tools: Type.Array(
    closedObject({
      name: Type.String(),
      toolset: Type.String(),
      title: Type.String(),
      description: Type.String(),
      effect: Type.String({ enum: ['read', 'create', 'update', 'delete'] }),
      alsoIn: Type.Optional(Type.String({ description: 'Another toolset that has it, too.' })),
      additive: Type.Optional(
        Type.Boolean({ description: 'Whether it only adds; absent: a creation does, an update does not.' }),
      ),
      confirm: Type.Optional(
        Type.String({ description: 'What a person should know before; there is dryRun.' }),
      ),
      briefly: Type.Optional(
        Type.Array(Type.String(), { description: 'The fields that MCP returns by default.' }),
      ),
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
      if (operation?.takesFiles && isMultipart(request)) return callWithFiles(executor, operation, request);
      const limits = operation && operationLimits(operation);
      const input = limits && hasBody(request) ? await readJson(request, limits) : {};
      const key = request.headers.get('idempotency-key');
      const options = { signal: request.signal, ...(key === null ? {} : { idempotencyKey: key }) };
      const answer = await executor.call(name, input, options);
      return isFile(answer) ? fileResponse(answer) : jsonAnswer(answer);
    },
    // Each operation has its own path in the OpenAPI document.
    { parse: 'none', detail: { hide: true } },
  );
  const fileExecutorFor = (request: Request) => servedTools(kernel, request, guard, cut, 'file');
  for (const operation of kernel.operations.values()) {
    const { takesFiles, servesFile } = operation;
    if (takesFiles?.streamed) putRoute(app, operation, takesFiles.path, executorFor);
    else if (takesFiles) formRoute(app, operation, takesFiles.path, executorFor);
    if (servesFile) fileRoute(app, operation, servesFile, fileExecutorFor);
  }
};
