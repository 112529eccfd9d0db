import type { Actor } from '../../../core/base/actor.ts';
import type { Host } from '../../../core/host/host.ts';
import type { FileAnswer } from '../../../core/tools/file-answer.ts';
import type { AuthCalls } from '../../auth/index.ts';
import type { TestmgmtCalls } from '../../testmgmt/index.ts';
import type { FieldTable, Read } from './request-field.ts';

type Calls = AuthCalls & TestmgmtCalls;

/** What an answer of a route needs besides its input. */
export interface Work {
  readonly host: Host;
  readonly actor: Actor;
  readonly signal: AbortSignal;
  /** Whether Checkmate's MCP server asks: it reads JSON only, and shows all of it to a model. */
  readonly isAgent: boolean;
  /** Calls an operation as the caller. @throws Fault as the operation does. */
  call<N extends keyof Calls & string>(name: N, input: Calls[N]['input']): Promise<Calls[N]['output']>;
  /** The same for an operation whose name is data: the listings of classifications. */
  callNamed(name: string, input: object): Promise<Readonly<Record<string, unknown>>>;
  /** The same for an operation that may return a file. */
  callForFile<N extends keyof Calls & string>(
    name: N,
    input: Calls[N]['input'],
  ): Promise<Calls[N]['output'] | FileAnswer>;
  /** Adds a sentence to `warnings` of the answer: what has no equivalent must not be dropped silently. */
  warn(sentence: string): void;
  /** The names of users by id; null for no user and for one without a name. */
  namesOf(
    ids: ReadonlyArray<number | null | undefined>,
  ): Promise<(userId: number | null | undefined) => string | null>;
}

/** The `data` of an answer, or a file. */
type RouteAnswer = { readonly data: unknown; readonly status?: 200 | 201 } | FileAnswer;

interface Declared<F extends FieldTable> {
  /** After `/api/v1/`. */
  readonly path: string;
  /** Any verb but GET reaches a write: clients of Checkmate use several for one path. */
  readonly verb: 'read' | 'write';
  readonly input: F;
  /** The body may contain thousands of records. */
  readonly isLarge?: true;
  /** Checkmate's status where it differs from Trivet's, by the code of the error. */
  readonly statuses?: Readonly<Record<string, number>>;
  readonly answer: (input: Read<F>, work: Work) => Promise<RouteAnswer>;
}

/** A route of the API of Checkmate. */
export interface CheckmateRoute extends Omit<Declared<FieldTable>, 'answer'> {
  readonly answer: (input: never, work: Work) => Promise<RouteAnswer>;
}

/** Declares a route; the type of its input follows from its fields. */
export const route = <F extends FieldTable>(declared: Declared<F>): CheckmateRoute => declared;

export const answered = (data: unknown): RouteAnswer => ({ data });
export const answeredCreated = (data: unknown): RouteAnswer => ({ data, status: 201 });
