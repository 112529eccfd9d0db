import { Fault } from '../base/errors.ts';
import type { Module } from '../module/module.ts';
import type { CallTool, ContextParts, PromptKind, ResourceKind } from '../tools/context-kinds.ts';
import type { Executor } from '../tools/executor.ts';

/*
 * What a model gets in addition to tools: resources, which describe a record, and prompts, which start a job. Both are built from tools
 * that the caller may use, so nothing is shown that a call would refuse, even when the tools run on another server.
 */

interface TextResource {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'resource'; readonly resource: TextResource };

/** Resources and prompts in terms that all versions of the protocol share. An adapter of an era serves them. */
export interface McpContext {
  /** @throws NotOffered for a cursor that this list did not give. */
  resources(cursor: string | undefined): Promise<{ resources: Listed[]; nextCursor?: string }>;
  templates(): Promise<{ resourceTemplates: Array<Omit<Listed, 'uri'> & { uriTemplate: string }> }>;
  /** @throws NotOffered. */
  read(uri: string): Promise<{ contents: TextResource[] }>;
  prompts(): Promise<{
    prompts: Array<Omit<PromptKind, 'tools' | 'ask' | 'arguments'> & { arguments: Argument[] }>;
  }>;
  /** @throws NotOffered for an unknown prompt, a missing argument, or one that a tool refuses. */
  prompt(
    name: string,
    given: Readonly<Record<string, string>>,
  ): Promise<{ description: string; messages: Array<{ role: 'user'; content: Content }> }>;
  /** @throws NotOffered for an unknown prompt or template. */
  complete(asked: Completing): Promise<{ completion: { values: string[]; total: number; hasMore: boolean } }>;
}

/** What a client asks to complete: an argument of a prompt, or the expression of a resource template. */
interface Completing {
  readonly prompt?: string;
  readonly uriTemplate?: string;
  readonly argument: { readonly name: string; readonly value: string };
  readonly given: Readonly<Record<string, string>>;
}

/** The maximum values of one completion (2025-11-25, Completion). */
const mostCompletions = 100;

type Argument = PromptKind['arguments'][number];

interface Listed {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** The resource or prompt does not exist for this caller, or its arguments are wrong. The message gives the reason. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered';
}

const mimeType = 'application/json';
const uriOf = ({ uriTemplate }: Pick<ResourceKind, 'uriTemplate'>, id: number) =>
  uriTemplate.replace(/\{\w+\}/, String(id));

/** The resources and prompts that one caller may use, and the calls that they are built from. */
interface Offer {
  readonly call: CallTool;
  kinds(): Promise<ContextParts>;
}

/** The resources and prompts of the modules, for the caller of an executor. */
export function mcpContext(executor: Executor, modules: readonly Module[]): McpContext {
  const offer: Offer = {
    call: (tool, input) => executor.call(tool, input, { signal: AbortSignal.timeout(longestReadMs) }),
    kinds: async () => {
      const parts = await Promise.all(modules.flatMap(({ mcpContext: load }) => (load ? [load()] : [])));
      const tools = new Set((await executor.tools()).map(({ name }) => name));
      const usable = (kind: ResourceKind | PromptKind) => kind.tools.every((tool) => tools.has(tool));
      return {
        resources: parts.flatMap(({ resources }) => resources).filter(usable),
        prompts: parts.flatMap(({ prompts }) => prompts).filter(usable),
      };
    },
  };
  return {
    resources: (cursor) => listResources(offer, cursor),
    templates: async () => ({
      resourceTemplates: (await offer.kinds()).resources.map(({ uriTemplate, name, title, description }) => ({
        uriTemplate,
        name,
        title,
        description,
        mimeType,
      })),
    }),
    read: async (uri) => ({ contents: [await readable(() => readResource(offer, uri))] }),
    prompts: async () => ({
      prompts: (await offer.kinds()).prompts.map(({ name, title, description, arguments: taken }) => ({
        name,
        title,
        description,
        arguments: [...taken],
      })),
    }),
    complete: (asked) => completeArgument(offer, asked),
    prompt: (name, given) => askPrompt(offer, name, given),
  };
}

async function readResource({ call, kinds }: Offer, uri: string): Promise<TextResource> {
  const { resources } = await kinds();
  for (const kind of resources) {
    const [before = '', after = ''] = kind.uriTemplate.split(/\{\w+\}/);
    const id =
      uri.startsWith(before) && uri.endsWith(after) && uri.slice(before.length, uri.length - after.length);
    if (!id || !/^[1-9]\d{0,14}$/.test(id)) continue;
    return { uri, mimeType, text: JSON.stringify(await kind.read(call, Number(id))) };
  }
  const known = resources.map(({ uriTemplate }) => uriTemplate).join(', ');
  throw new NotOffered(`There is no resource of this URI.${known && ` Known: ${known}.`}`);
}

/** A page of the resources of one kind. The cursor consists of the index of the kind and the cursor within it. */
async function listResources(
  { call, kinds }: Offer,
  cursor: string | undefined,
): ReturnType<McpContext['resources']> {
  const { resources } = await kinds();
  if (cursor === undefined && resources.length === 0) return { resources: [] };
  const [at = '', ...rest] = (cursor ?? '0').split('/');
  const kind = /^\d+$/.test(at) ? resources[Number(at)] : undefined;
  if (!kind)
    throw new NotOffered(
      'This list has no such cursor. Call resources/list without a cursor to read it from the start.',
    );
  const { records, nextCursor } = await readable(() =>
    kind.list(call, rest.length > 0 ? rest.join('/') : undefined),
  );
  const next = nextCursor === undefined ? undefined : `${at}/${nextCursor}`;
  const following = next ?? (Number(at) + 1 < resources.length ? String(Number(at) + 1) : undefined);
  const { title, description } = kind;
  return {
    resources: records.map(({ id, name }) => ({
      uri: uriOf(kind, id),
      name,
      title: `${title}: ${name}`,
      description,
      mimeType,
    })),
    ...(following === undefined ? {} : { nextCursor: following }),
  };
}

async function completeArgument(
  { call, kinds }: Offer,
  { prompt, uriTemplate, argument, given }: Completing,
): ReturnType<McpContext['complete']> {
  const { prompts, resources } = await kinds();
  const kind =
    prompt === undefined
      ? resources.find((one) => one.uriTemplate === uriTemplate)
      : prompts.find((one) => one.name === prompt);
  if (!kind) throw new NotOffered('There is no such prompt or resource template.');
  // A failed look-up gives no completions: the person keeps typing.
  const all = kind.complete ? await kind.complete(call, argument, given).catch(() => []) : [];
  const values = all.slice(0, mostCompletions);
  return { completion: { values, total: all.length, hasMore: all.length > values.length } };
}

async function askPrompt(
  offer: Offer,
  name: string,
  given: Readonly<Record<string, string>>,
): ReturnType<McpContext['prompt']> {
  const { prompts } = await offer.kinds();
  const kind = prompts.find((one) => one.name === name);
  if (!kind) {
    const known = prompts.map((one) => one.name).join(', ');
    throw new NotOffered(`There is no prompt of this name.${known && ` Known: ${known}.`}`);
  }
  const missing = kind.arguments.filter((one) => one.required && !given[one.name]?.trim());
  if (missing.length > 0) {
    const names = missing.map((one) => `${one.name} (${one.description})`).join(', ');
    throw new NotOffered(`${name} also takes ${names}`);
  }
  const { text, about } = await readable(() => kind.ask(offer.call, given));
  const resource = about && (await readable(() => readResource(offer, uriOf(about, about.id))));
  return {
    description: kind.description,
    messages: [
      ...(resource ? [{ role: 'user' as const, content: { type: 'resource' as const, resource } }] : []),
      { role: 'user' as const, content: { type: 'text' as const, text } },
    ],
  };
}

/** The time limit for reading the data of a resource. */
const longestReadMs = 30_000;

/** A refusal of a tool as one sentence with its remedy. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) throw new NotOffered(`${error.message} ${error.tip}`);
    throw error;
  }
}
