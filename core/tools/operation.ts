import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { refusalOf, rightsOf, type Access, type Actor, type Effect } from '../base/actor.ts';
import type { Db } from '../db/query/db.ts';
import { fail } from '../base/errors.ts';
import { asFault, isEndedBy } from '../base/foreign-errors.ts';
import type { Context, Host } from '../host/host.ts';
import { itemShapes, sentence, typeText } from '../base/problem.ts';
import { noteStorageFailure } from '../host/storage-damage.ts';
import { checkInTurns, withDefaults } from '../base/schema.ts';
import type { Surface } from '../base/write-entry.ts';
import { auditedDb, type Written } from './audited-write.ts';
import { isDryRun, withDryRun, withoutDryRun } from './dry-run.ts';
import type { FileAnswer } from './file-answer.ts';
import type { GivenFile } from '../base/given-file.ts';
import { checkIdempotencyKey, once, resultOfEarlier } from './idempotency.ts';
import { withChosenFields } from './list-fields.ts';
import type { TypedOperation } from './operation-types.ts';
import { withNextOffset } from './page.ts';
import { noteCall } from './operation-counts.ts';
import { likelyTools } from './tool-names.ts';

/**
 * A tool, declared once. `POST /api/tools/{name}`, MCP, `trivet call` and the OpenAPI document are derived from it.
 */
export interface Operation {
  /** kebab-case; unique over all modules. */
  readonly name: string;
  /** Its group, e.g. `testmgmt`. */
  readonly toolset: string;
  /** Another toolset that has it, too: whoever has that one has it, e.g. over MCP by default. */
  readonly alsoIn?: string;
  readonly title: string;
  /** What an agent chooses a tool by: what it does, when another fits better, its limits. */
  readonly description: string;
  readonly input: TObject;
  readonly output: TSchema;
  /** Media types of files that it may return instead, e.g. `text/csv`. */
  readonly files?: readonly string[];
  /** Files that may come with a call: as multipart/form-data, or from the command line. */
  readonly takesFiles?: TakesFiles;
  /** The result is a file that has an address of its own. */
  readonly servesFile?: ServesFile;
  readonly access: Access;
  readonly effect: Effect;
  /** Whether it only adds: nothing that was there is another after it. Without it, a `create` does, and an `update` does not. */
  readonly additive?: boolean;
  /**
   * What cannot be undone, or how it is undone, in one sentence: a client that can asks its person before the call, and the operation
   * takes `dryRun`.
   */
  readonly confirm?: string;
  /** Each write is found by the project and the run of its input, so that list-activity misses none. A handler may say more. */
  readonly byProject?: true;
  /** Its result contains a secret, which is shown once and never stored. */
  readonly secret?: boolean;
  /** Properties of the input that name a record but are no ids: the audit entry of a write contains them. */
  readonly named?: readonly string[];
  /** The same of its result, for what the caller did not name. */
  readonly namedInResult?: readonly string[];
  /**
   * For invalid arguments: returns a text for the tip, e.g. which id has the name that was given for one. It may look up only what
   * the actor may see.
   */
  readonly explain?: (rawInput: unknown, ctx: Context) => Promise<string | undefined>;
  /** For invalid arguments: returns them with ids in the place of names, if there are any. It may look up only what the actor may see. */
  readonly resolve?: (rawInput: unknown, ctx: Context) => Promise<unknown>;
  /** Gets checked input. Use {@link run}: it is the only way in. */
  readonly handler: (input: never, ctx: Context) => Promise<unknown>;
}

/** How an operation takes files. It must be safe to repeat: a call with files takes no idempotency key. */
interface TakesFiles {
  /** An address of its own besides `/api/tools/{name}`, whose query has the parameters: for `curl -F file=@report.xml`. */
  readonly path: string;
  /** `PUT` to the path: the body is one file, which the operation reads while it arrives, and limits. It can be read once. */
  readonly streamed?: true;
}

/** The address of its file, for a page: `GET /api/attachments/7`. */
export interface ServesFile {
  /** Without the last segment, which is the id. */
  readonly path: string;
  /** The parameter that the id is. */
  readonly parameter: string;
}

interface Declaration<N extends string, I extends TObject, O extends TSchema> extends Omit<
  Operation,
  'explain' | 'resolve'
> {
  readonly name: N;
  readonly input: I;
  readonly output: O;
  /** Returns data of the output schema, or a file of it. */
  readonly handler: (input: Static<I>, ctx: Context) => Promise<Static<O> | FileAnswer>;
}

/**
 * Declares an operation; the types of its handler follow from the schemas.
 * @example
 * operation({
 *   name: 'get-note',
 *   toolset: 'notes',
 *   title: 'Read a note',
 *   description: 'Returns one note.',
 *   input: Type.Object({ noteId: recordId('From list-notes.') }, { additionalProperties: false }),
 *   output: Type.Object({ noteId: Type.Integer(), text: Type.String() }),
 *   access: member('read'),
 *   effect: 'read',
 *   handler: async ({ noteId }, { db }) => load(db.q, noteId),
 * });
 */
export function operation<N extends string, I extends TObject, O extends TSchema>(
  declared: Declaration<N, I, O>,
): Operation & TypedOperation<N, Static<I>, Static<O>> {
  return declared.confirm === undefined ? declared : withDryRun(declared);
}

/** {@link operation} for one toolset, so that a module names it once, with what else its operations share. */
export const operationIn =
  (toolset: string, shared: Pick<Operation, 'byProject'> = {}) =>
  <N extends string, I extends TObject, O extends TSchema>(declared: Omit<Declaration<N, I, O>, 'toolset'>) =>
    operation<N, I, O>({ ...shared, ...declared, toolset } as Declaration<N, I, O>);

/** A call without its input. */
interface Call {
  readonly actor: Actor;
  readonly surface: Surface;
  readonly signal: AbortSignal;
  readonly progress?: (done: number, total: number) => void;
  readonly idempotencyKey?: string;
  readonly files?: readonly GivenFile[];
  /** The program of an agent, by its own word. */
  readonly client?: string;
}

/**
 * Runs an operation: access → defaults → check → handler → effects. Every surface calls it.
 * @throws Fault UNAUTHENTICATED, FORBIDDEN, READ_ONLY, INVALID_REQUEST, or what the handler throws.
 */
export async function run(host: Host, operation: Operation, rawInput: unknown, call: Call): Promise<unknown> {
  const began = performance.now();
  const { name } = operation;
  const ended = (code: string) => {
    const ms = performance.now() - began;
    noteCall(host, operation, call.surface, { code, seconds: ms / 1000 });
    host.log.debug('operation', { operation: name, surface: call.surface, code, ms: Math.round(ms) });
  };
  const codeOf = (error: unknown) => (isEndedBy(call.signal, error) ? 'CLIENT_LEFT' : asFault(error).code);
  try {
    const attributes = { 'trivet.operation': name, 'trivet.surface': call.surface };
    const output = host.tracing
      ? await host.tracing.span(`operation ${name}`, attributes, async (span) => {
          try {
            return await checkedAndRun(host, operation, rawInput, call);
          } catch (error) {
            span.fail(codeOf(error));
            throw error;
          }
        })
      : await checkedAndRun(host, operation, rawInput, call);
    ended('ok');
    return output;
  } catch (error) {
    noteStorageFailure(host, error);
    ended(codeOf(error));
    throw error;
  }
}

async function checkedAndRun(
  host: Host,
  operation: Operation,
  rawInput: unknown,
  call: Call,
): Promise<unknown> {
  const refused = refusalOf(call.actor, operation);
  if (refused) throw refused;

  const { input: schema, effect } = operation;
  const { actor, idempotencyKey, files = [] } = call;
  const isKeyed = idempotencyKey !== undefined && effect !== 'read';
  const keyed = isKeyed ? keyedOf(operation, actor, idempotencyKey) : undefined;
  let given = rawInput;
  let named: unknown;
  let input = await checkInTurns(schema, withDefaults(schema, given ?? {}), call.signal);
  if (!input.ok) {
    if (keyed) {
      // First: the call may have renamed or deleted what it names.
      named = withoutDryRun(given);
      const earlier = await resultOfEarlier(host, { ...keyed, input: named });
      if (earlier) return earlier.value;
    }
    const resolved = await resolvedInput(host, operation, given, call);
    if (resolved !== undefined) {
      // Also if something else is wrong: a name that was found is not.
      given = resolved;
      input = await checkInTurns(schema, withDefaults(schema, given), call.signal);
    }
  }
  if (!input.ok) {
    // Only the parameter; the message has the whole path.
    const cause = /^[^.[]+/.exec(input.problems[0]?.path ?? '')?.[0];
    throw fail.INVALID_REQUEST(`Invalid arguments for ${operation.name}: ${sentence(input.problems)}.`, {
      ...(cause === undefined ? {} : { cause }),
      tip: [
        usage(operation),
        ...itemShapes(operation.input, input.problems),
        await explained(host, operation, given, call),
      ]
        .filter(Boolean)
        .join(' '),
    });
  }

  if (files.length > 0 && !operation.takesFiles)
    throw fail.INVALID_REQUEST(`${operation.name} takes no files.`, { tip: usage(operation) });
  if (files.length > 0 && idempotencyKey !== undefined)
    throw fail.INVALID_REQUEST('A call with files takes no idempotency key.', {
      tip: `${operation.name} is safe to repeat without one.`,
    });
  // A dry run does nothing: no audit entry, and its key stands for nothing. It says what the call with that key would: its first result.
  const writes = effect !== 'read' && !isDryRun(input.value);
  if (keyed && !writes) {
    const real = withDefaults(schema, withoutDryRun(input.value));
    const earlier = await resultOfEarlier(host, { ...keyed, input: real });
    if (earlier) return earlier.value;
  }
  const performing: Performing = { operation, input: input.value, writes };
  if (!keyed || !writes) {
    const { output, effects } = await perform(host, host.db, performing, call);
    for (const then of effects) await then();
    return output;
  }
  let performed: Performed | undefined;
  const output = await once(host, { ...keyed, input: input.value, named }, async (db) => {
    performed = await perform(host, db, performing, call);
    return performed.output;
  });
  for (const then of performed?.effects ?? []) await then();
  return output;
}

/** A write that may be repeated with its key. @throws Fault INVALID_REQUEST for an invalid key. */
const keyedOf = ({ name, secret = false }: Operation, actor: Actor, key: string) => ({
  userId: actor.userId,
  rights: rightsOf(actor),
  key: checkIdempotencyKey(key),
  tool: name,
  secret,
});

interface Performed {
  readonly output: unknown;
  /** What `afterCommit` was given. */
  readonly effects: ReadonlyArray<() => void | Promise<void>>;
}

/** A call whose input was checked. */
interface Performing {
  readonly operation: Operation;
  readonly input: unknown;
  /** Not for a read, nor for a dry run. */
  readonly writes: boolean;
}

async function perform(
  host: Host,
  db: Db,
  { operation, input, writes }: Performing,
  call: Call,
): Promise<Performed> {
  const effects: Array<() => void | Promise<void>> = [];
  const written: Written = { subjects: writes && operation.byProject ? subjectsOf(input) : [] };
  const context = contextOf(host, db, call, effects, written);
  const used = writes ? { ...context, db: auditedDb(host, db, operation, input, call, written) } : context;
  const result = await operation.handler(input as never, used);
  const rows = withNextOffset(operation.output, result);
  return { output: withChosenFields(operation.input, input, rows), effects };
}

/** What a write is found by unless its handler says more: the project and the run of its input. */
function subjectsOf(input: unknown): Written['subjects'] {
  const { projectId, runId } = input as { readonly projectId?: number; readonly runId?: number };
  if (projectId === undefined) return [];
  return [{ projectId, ...(runId === undefined ? {} : { runId }) }];
}

function contextOf(
  host: Host,
  db: Db,
  call: Call,
  effects: Array<() => void | Promise<void>>,
  written: Written,
): Context {
  const { clock, random, log, config } = host;
  return {
    clock,
    random,
    log,
    config,
    db,
    host,
    actor: call.actor,
    surface: call.surface,
    client: call.client ?? null,
    files: call.files ?? [],
    signal: call.signal,
    afterCommit: (effect) => void effects.push(effect),
    wrote: (...subjects) => void (written.subjects = subjects),
    progress: call.progress ?? (() => {}),
  };
}

/** The text that the module adds to the tip. A failed look-up must not hide the error itself. */
const explained = async (host: Host, operation: Operation, rawInput: unknown, call: Call) =>
  operation.explain?.(rawInput, contextOf(host, host.db, call, [], { subjects: [] })).catch(() => undefined);

/** A failed look-up must not hide that the arguments are wrong. */
const resolvedInput = async (host: Host, operation: Operation, rawInput: unknown, call: Call) =>
  operation.resolve?.(rawInput, contextOf(host, host.db, call, [], { subjects: [] })).catch(() => undefined);

/** The parameters of an operation in one line, for the tip. */
function usage({ name, input }: Pick<Operation, 'name' | 'input'>): string {
  const required = new Set(input.required);
  const parameters = Object.entries(input.properties).map(
    ([key, schema]) => `${key} (${typeText(schema)}, ${required.has(key) ? 'required' : 'optional'})`,
  );
  return parameters.length === 0 ? `${name} takes no parameters.` : `${name} takes ${parameters.join(', ')}.`;
}

/** The error for a tool that does not exist or is not offered. */
export function unknownTool(name: string, known: ReadonlyArray<{ readonly name: string }>) {
  const shown = name.slice(0, 64);
  const { meant, about } = likelyTools(
    shown,
    known.map((tool) => tool.name),
  );
  const hint = meant
    ? ` Did you mean "${meant}"?`
    : about
      ? ` Tools about ${about.thing}: ${about.tools.join(', ')}.`
      : '';
  return fail.UNKNOWN_TOOL(`There is no tool "${shown}" here.${hint}`);
}
