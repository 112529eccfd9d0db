import type { Elysia } from 'elysia';
import { fail } from '../base/errors.ts';
import { jsonAnswer } from '../http/answer/answer.ts';
import { fileResponse, storedFileResponse } from '../http/answer/file-response.ts';
import { inputOfForm, inputOfTexts, readGivenFiles } from '../http/request/given-files.ts';
import { queryOf } from '../http/request/query.ts';
import { admitStream, streamedFile } from '../http/request/streamed-file.ts';
import { filesBody, jsonResult, streamedBody, textParameters, mediaResult } from '../http/server/openapi.ts';
import type { ServedTools } from '../http/server/served-tools.ts';
import { isFile } from '../tools/file-answer.ts';
import type { Operation, ServesFile } from '../tools/operation.ts';

/* The addresses of operations that take or serve files. */

type ExecutorFor = (request: Request) => Promise<ServedTools>;

/** `POST path`: files as multipart/form-data, or one file as it is. */
export function formRoute(app: Elysia, operation: Operation, path: string, executorFor: ExecutorFor): void {
  const { name, title, input, output } = operation;
  app.post(
    path,
    async ({ request }) => {
      const executor = await executorFor(request);
      executor.countCall();
      const allowed = executor.allowed(name);
      // Without the right, `call` throws the reason, and nothing of the body is read.
      return allowed
        ? callWithFiles(executor, allowed, request)
        : jsonAnswer(await executor.call(name, {}, { signal: request.signal }));
    },
    {
      parse: 'none',
      detail: {
        summary: `${title}: files as multipart/form-data, parameters of ${name} in the query or the form`,
        security: [{ bearer: [] }],
        requestBody: filesBody(input),
        responses: jsonResult(output),
      },
    },
  );
}

/** `PUT path`: the body is one file, which the operation reads while it arrives. */
export function putRoute(app: Elysia, operation: Operation, path: string, executorFor: ExecutorFor): void {
  const { name, title, input, output } = operation;
  app.put(
    path,
    async ({ request }) => {
      const executor = await executorFor(request);
      executor.countCall();
      if (!executor.allowed(name))
        return jsonAnswer(await executor.call(name, {}, { signal: request.signal }));
      refuseKey(request, operation);
      const given = inputOfTexts(queryOf(request), input);
      const done = admitStream(executor.actor.userId);
      try {
        const files = [streamedFile(request, executor.keepsRights)];
        return jsonAnswer(await executor.call(name, given, { signal: request.signal, files }));
      } finally {
        done();
      }
    },
    {
      parse: 'none',
      detail: {
        summary: `${title}: the body is the file, parameters of ${name} in the query, the name in X-File-Name`,
        security: [{ bearer: [] }],
        parameters: textParameters(input),
        requestBody: streamedBody(),
        responses: jsonResult(output),
      },
    },
  );
}

/** `GET path/{id}`: a stored file, or a part of it. */
export function fileRoute(
  app: Elysia,
  { name, title }: Operation,
  { path, parameter }: ServesFile,
  executorFor: ExecutorFor,
): void {
  app.get(
    `${path}/:id`,
    async ({ request, params }) => {
      const executor = await executorFor(request);
      executor.countCall();
      const id: string | null = params.id;
      const given = { [parameter]: /^\d{1,15}$/.test(id ?? '') ? Number(id) : id };
      const answer = await executor.call(name, given, { signal: request.signal });
      if (!isFile(answer)) return jsonAnswer(answer);
      return answer.stored ? storedFileResponse(answer, answer.stored, request) : fileResponse(answer);
    },
    {
      parse: 'none',
      detail: {
        summary: `${title}: the file, or a Range of it`,
        security: [{ bearer: [] }],
        responses: mediaResult('application/octet-stream'),
      },
    },
  );
}

function refuseKey(request: Request, { name }: Operation): void {
  if (request.headers.has('idempotency-key'))
    throw fail.INVALID_REQUEST('A call with files takes no Idempotency-Key.', {
      tip: `${name} is safe to repeat without one.`,
    });
}

export async function callWithFiles(
  executor: ServedTools,
  operation: Operation,
  request: Request,
): Promise<Response> {
  refuseKey(request, operation);
  const body = await readGivenFiles(request);
  const input = inputOfForm(request, body, operation.input);
  const answer = await executor.call(operation.name, input, { signal: request.signal, files: body.files });
  return isFile(answer) ? fileResponse(answer) : jsonAnswer(answer);
}
