import { fail } from '../../core/base/errors.ts';
import type { Executor } from '../../core/tools/executor.ts';
import { fileAnswer } from '../../core/tools/file-answer.ts';
import { unknownTool } from '../../core/tools/operation.ts';

/* The content that the conformance suite expects on the server under test, for the servers of both eras. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
export const image = { type: 'image' as const, data: png, mimeType: 'image/png' };
export const text = (words: string) => ({ type: 'text' as const, text: words });
export const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});

/** The tools that one of our operations could implement. */
export const operations: Executor['call'] = async (name, _input, { progress }) => {
  switch (name) {
    case 'test_simple_text':
      return { text: 'This is a simple text response for testing.' };
    case 'test_error_handling':
      throw fail.CONFLICT('This tool intentionally returns an error for testing');
    case 'test_tool_with_progress':
      for (const done of [0, 50, 100]) {
        progress?.(done, 100);
        await Bun.sleep(20);
      }
      return { done: true };
    case 'test_embedded_resource':
      return fileAnswer('note.txt', 'text/plain', async function* () {
        yield 'This is an embedded resource content.';
      });
    default:
      throw unknownTool(name, []);
  }
};
export const ofOperations = [
  'test_simple_text',
  'test_error_handling',
  'test_tool_with_progress',
  'test_embedded_resource',
];

/** The tools as an executor lists them. */
export const toolsNamed =
  (names: readonly string[]): Executor['tools'] =>
  async () =>
    names.map((name) => ({
      name,
      toolset: 'fixture',
      title: name,
      description: name,
      effect: 'read' as const,
      inputSchema: { type: 'object', properties: {} },
    }));

/** Several kinds of content in one result. */
export const mixed = () => [
  text('Multiple content types test:'),
  image,
  resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
];

/** A sound. */
export const audio = { type: 'audio' as const, data: wav, mimeType: 'audio/wav' };

export const resources = ['test://static-text', 'test://static-binary'].map((uri) => ({ uri, name: uri }));
export const resourceTemplates = [{ uriTemplate: 'test://template/{id}/data', name: 'template' }];

type Content = typeof image | ReturnType<typeof text> | ReturnType<typeof resource>;

const said = (...content: Content[]) => ({
  messages: content.map((each) => ({ role: 'user' as const, content: each })),
});
export const prompts: Readonly<Record<string, (given: Record<string, string>) => ReturnType<typeof said>>> = {
  test_simple_prompt: () => said(text('This is a simple prompt for testing.')),
  test_prompt_with_arguments: ({ arg1, arg2 }) =>
    said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) =>
    said(
      resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ),
  test_prompt_with_image: () => said(image, text('Please analyze the image above.')),
};

export function read(uri: string) {
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: png };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) return { uri, mimeType: 'text/plain', text: 'This is the content of the resource.' };
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
}
