/**
 * The kit of Trivet for plugins, version 1. Put this file beside a plugin ("trivet plugin types > trivet-plugin.d.ts") and import its
 * types; nothing of it is needed when the plugin runs. docs/plugins.md explains the parts in reading order.
 *
 * @example
 * import type { Plugin } from './trivet-plugin.d.ts';
 *
 * export const kit = 1;
 * const plugin: Plugin = ({ defineModule }) => defineModule({ name: 'notes' });
 * export default plugin;
 */

/** The default export of a plugin file. It must be over within ten seconds. */
export type Plugin = (kit: PluginKit) => Module | Promise<Module>;

/** What a plugin builds its module from. */
export interface PluginKit {
  defineModule(module: Module): Module;
  /**
   * Declares a tool: over HTTP, MCP and the command line. The types of its handler follow from the schemas.
   * @example
   * operation({
   *   name: 'get-note', toolset: 'notes', title: 'Read a note', description: 'Returns one note.',
   *   input: closedObject({ noteId: recordId('From list-notes.') }),
   *   output: closedObject({ noteId: Type.Integer(), text: Type.String() }),
   *   access: member('read'), effect: 'read',
   *   handler: async ({ noteId }, { db }) => load(db.q, noteId),
   * });
   */
  operation<I extends ObjectSchema, O extends Schema>(declared: OperationDeclaration<I, O>): Operation;
  /** TypeBox: what an input or an output looks like. */
  readonly Type: TypeBuilder;
  /** An object that takes no other properties. Inputs must be closed. @example closedObject({ noteId: recordId('…') }) */
  closedObject<P extends Properties>(properties: P, options?: SchemaOptions): ObjectSchema<StaticOf<P>>;
  nullable<S extends Schema>(schema: S): Schema<Static<S> | null>;
  /** One of some texts. @example words(['open', 'closed'], { description: 'Only notes in this state.' }) */
  words<const W extends readonly string[]>(
    values: W,
    options: { description: string; default?: W[number] },
  ): Schema<W[number]>;
  /** The id of a record. @example noteId: recordId('From list-notes.') */
  recordId(description: string): Schema<number>;
  /** The output of a list. @example output: page('notes', closedObject({ noteId: Type.Integer() })) */
  page<K extends string, S extends Schema>(
    plural: K,
    record: S,
  ): ObjectSchema<
    { total: number; limit: number; offset: number; nextOffset?: number } & Record<K, Static<S>[]>
  >;
  /** The parameters of a list. @example input: closedObject({ ...paging }) */
  readonly paging: { readonly limit: OptionalSchema<number>; readonly offset: OptionalSchema<number> };
  /** @example const { limit, offset } = pageOf(input); */
  pageOf(input: { limit?: number; offset?: number }): Page;
  /** Tables, and what their columns are made of, on both engines. */
  readonly columns: Columns;
  /** The conditions of drizzle-orm. */
  readonly query: Conditions;
  /**
   * A statement that is built once. Values are `sql.placeholder('name')`.
   * @example const byId = prepared<{ id: number }, Note>((q) => q.select().from(notes).where(eq(notes.id, sql.placeholder('id'))), 'notes_by_id');
   */
  prepared<V extends Record<string, unknown>, R>(
    build: (q: Query) => { prepare(name?: never): unknown },
    name: string,
  ): (q: Query, values: V) => Promise<R[]>;
  /** One value per running server, made at first use. @example const cache = perHost(() => new Map<number, Note>()); */
  perHost<T>(create: (host: Host) => T): (host: Host) => T;
  /** Access for everybody who is signed in. */
  signedIn(): Access;
  /** Access for whoever may read, write or administrate in some organization. Check the record's own with {@link roleIn}. */
  member(right: Right): Access;
  /**
   * Whether the actor has the right in the organization of a record; `hidden`: answer as for a record that does not exist.
   * @throws Fault FORBIDDEN when the role is too weak.
   */
  roleIn(actor: Actor, orgId: number, right: Right): 'allowed' | 'hidden';
  /** @example const fail = defineErrors({ NOTE_NOT_FOUND: { status: 404, tip: 'Use list-notes.' } }); throw fail.NOTE_NOT_FOUND('No note 7.'); */
  defineErrors<K extends string>(kinds: Readonly<Record<K, ErrorKind>>): Readonly<Record<K, Thrower>>;
  /** The errors of Trivet itself. */
  readonly fail: Readonly<
    Record<
      'INVALID_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'UNAUTHENTICATED' | 'NOT_READY',
      Thrower
    >
  >;
  /** Epoch milliseconds as `2026-01-01T00:00:00.000Z`. */
  isoTime(epochMs: number): string;
  /** @example metrics: { sent: counter('trivet_notes_sent_total', 'Notes that were sent.', ['outcome']) } */
  readonly metrics: {
    counter<const L extends readonly string[]>(name: string, help: string, labels: L): Metric<'counter', L>;
    gauge<const L extends readonly string[]>(name: string, help: string, labels: L): Metric<'gauge', L>;
    histogram<const L extends readonly string[]>(
      name: string,
      help: string,
      labels: L,
      buckets: readonly number[],
    ): Metric<'histogram', L>;
  };
  readonly http: {
    jsonAnswer(data: unknown, headers?: Readonly<Record<string, string>>): Response;
    /** @throws Fault UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON. */
    readJson(request: Request, maxBytes: number): Promise<unknown>;
    /** Who sends the request. @throws Fault UNAUTHENTICATED. */
    signedInCaller(host: Host, request: Request): Promise<Actor>;
  };
}

/** What a plugin is. Only `name` is required. */
export interface Module {
  /** A lowercase word. Tables, settings and codes of the plugin begin with it. */
  readonly name: string;
  /** Modules that must be loaded, e.g. `auth`, `testmgmt`. They start before this one. */
  readonly requires?: readonly string[];
  readonly errors?: Readonly<Record<string, ErrorKind>>;
  /** Flags, environment variables and keys of the configuration file. */
  readonly settings?: SettingTable;
  readonly tables?: Readonly<Record<string, object>>;
  /** Applied once, in order, with those of Trivet in one transaction. One that was released never changes. */
  readonly migrations?: { readonly sqlite: readonly Migration[]; readonly postgres: readonly Migration[] };
  readonly operations?: readonly Operation[];
  readonly routes?: (app: App, host: Host) => void;
  /** Headers that a page of an allowed origin (`--cors-origin`) may send. */
  readonly corsHeaders?: readonly string[];
  /** Run in servers only, each by itself. */
  readonly jobs?: readonly Job[];
  /** What "trivet doctor" checks. */
  readonly checks?: readonly Check[];
  readonly metrics?: Readonly<Record<string, Metric<'counter' | 'gauge' | 'histogram', readonly string[]>>>;
  /** Throws a Fault that says why the server is not ready: cheap, it may run every second. */
  readonly ready?: (host: Host) => Promise<void>;
  /** Runs once after the migrations, in every command; what it returns runs at the stop. Ten seconds. */
  readonly start?: (host: Host) => Promise<void | (() => Promise<void>)>;
  /** Lines for stderr when a server starts. */
  readonly warnings?: (host: Host, server: { readonly loopback: boolean }) => readonly string[];
  /**
   * Called in the transaction of every audited write, before its COMMIT: what it stores with `q` is stored if the write is, and only
   * then. No network and no timer; five seconds. If it throws, the write fails.
   */
  readonly onWrite?: (q: Query, event: WriteEvent, host: Host) => Promise<void>;
}

/** A write of an operation. */
export interface WriteEvent {
  /** The name of the operation, e.g. `create-run`. */
  readonly type: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actorId: number;
  readonly surface: 'http' | 'console' | 'mcp' | 'stdio' | 'cli' | 'plugin';
  readonly orgId: number | null;
  readonly projectId: number | null;
  readonly runId: number | null;
  /** The ids of the arguments, and of what was created. Of a list, the first 20 and their number. */
  readonly ids: Readonly<Record<string, number | string | readonly (number | string)[]>>;
  readonly changes: {
    readonly count: number;
    readonly fields: readonly {
      readonly field: string;
      readonly from?: unknown;
      readonly to?: unknown;
      readonly count?: number;
    }[];
  } | null;
}

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** @param signal aborts when the server stops, which waits five seconds for the run. */
  run(host: Host, signal: AbortSignal): Promise<void>;
}

export interface Check {
  readonly name: string;
  run(host: Host, options: { readonly repair: boolean }): Promise<readonly Finding[]>;
}

export interface Finding {
  /** One stable word. */
  readonly finding: string;
  readonly message: string;
  readonly remedy: string;
  readonly repaired?: true;
  readonly warning?: true;
}

export interface Migration {
  /** e.g. `0000_notes` */
  readonly tag: string;
  readonly sql: string;
}

/** What a running Trivet gives. */
export interface Host {
  readonly db: Db;
  readonly clock: { now(): number };
  /** @example host.random(16) */
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
  readonly config: Config;
  readonly metrics: Recorder;
  readonly version: string;
  /** e.g. `https://trivet.example` */
  origin(): string;
  /** Calls a tool that reads, as a reader of one organization. @throws Fault as the tool does. */
  readTool(orgId: number, tool: string, input: object, signal?: AbortSignal): Promise<unknown>;
}

/** What one call of an operation gets. */
export interface Context {
  readonly host: Host;
  /** Its first transaction also writes the audit entry. */
  readonly db: Db;
  readonly clock: { now(): number };
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
  readonly config: Config;
  readonly actor: Actor;
  readonly signal: AbortSignal;
  /** Runs after the commit and before the answer. */
  afterCommit(effect: () => void | Promise<void>): void;
}

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
/** Ids and stable words: no token, no text that a user typed. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Recorder {
  count<L extends readonly string[]>(
    metric: Metric<'counter', L>,
    labels: { readonly [K in keyof L]: string },
    by?: number,
  ): void;
  observe<L extends readonly string[]>(
    metric: Metric<'histogram', L>,
    labels: { readonly [K in keyof L]: string },
    value: number,
  ): void;
}

export interface Metric<T extends 'counter' | 'gauge' | 'histogram', L extends readonly string[]> {
  readonly type: T;
  readonly name: string;
  readonly labels: L;
}

/** Who calls. */
export interface Actor {
  readonly userId: number;
  /** `local`: the owner of the data directory, on its machine. */
  readonly via: 'session' | 'token' | 'local';
  readonly roles: ReadonlyMap<number, 'reader' | 'member' | 'admin'>;
  /** Somebody who uses an app and has not signed in: no operation serves a guest, and a route of a plugin should not either. */
  readonly isGuest?: true;
}
export type Right = 'read' | 'write' | 'admin';
export interface Access {
  readonly kind: string;
}

export interface OperationDeclaration<I extends ObjectSchema, O extends Schema> {
  /** kebab-case */
  readonly name: string;
  readonly toolset: string;
  readonly title: string;
  /** What an agent chooses the tool by: what it does, its limits, the better tool for other cases. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  readonly access: Access;
  readonly effect: 'read' | 'create' | 'update' | 'delete';
  readonly handler: (input: Static<I>, context: Context) => Promise<Static<O>>;
}
export interface Operation {
  readonly name: string;
  readonly toolset: string;
}

export interface ErrorKind {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 423 | 429 | 500 | 502 | 503;
  readonly tip: string;
}
/** Makes an error. `cause` is one stable word. */
export type Thrower = (
  message: string,
  detail?: { readonly cause?: string; readonly tip?: string; readonly retryAfter?: number },
) => Error;

/** What a plugin uses of Elysia. Give `{ parse: 'none' }` and read the body with `http.readJson`. */
export interface App {
  get(path: string, handler: RouteHandler, options?: RouteOptions): unknown;
  post(path: string, handler: RouteHandler, options?: RouteOptions): unknown;
  delete(path: string, handler: RouteHandler, options?: RouteOptions): unknown;
}
export type RouteHandler = (context: {
  readonly request: Request;
  readonly params: Record<string, string>;
  readonly query: Record<string, string>;
}) => Response | Promise<Response>;
export interface RouteOptions {
  readonly parse?: 'none';
  readonly detail?: { readonly summary?: string; readonly hide?: boolean };
}

/* Settings */

interface SettingBase {
  readonly description: string;
  /** It is refused on the command line and masked where settings are shown. */
  readonly secret?: boolean;
  /** A value of this form contains a secret. */
  readonly secretLike?: RegExp;
}
export type Setting = SettingBase &
  (
    | {
        readonly type: 'string';
        readonly default?: string;
        readonly pattern?: RegExp;
        readonly value?: string;
        readonly choices?: readonly string[];
      }
    | {
        readonly type: 'integer';
        readonly default?: number;
        readonly minimum: number;
        readonly maximum: number;
        /** A text such as `400d` is taken, too. "kept": what is older is deleted. */
        readonly unit?: 'seconds' | 'seconds kept';
      }
    | { readonly type: 'boolean' }
    | { readonly type: 'list'; readonly default?: readonly string[]; readonly value?: string }
    | { readonly type: 'table'; readonly schema: Schema }
  );
export type SettingTable = Readonly<Record<string, Setting>>;
type Given<S> = S extends { type: 'integer' }
  ? number
  : S extends { type: 'boolean' }
    ? boolean
    : S extends { type: 'list' }
      ? readonly string[]
      : S extends { type: 'table' }
        ? unknown
        : string;
export interface Config {
  /** The values of the settings of the plugin: give it the very table that the module has. */
  read<T extends SettingTable>(
    table: T,
  ): {
    readonly [K in keyof T]: T[K] extends { type: 'boolean' } | { default: unknown }
      ? Given<T[K]>
      : Given<T[K]> | undefined;
  };
}

/* Schemas: what of TypeBox the tools of Trivet understand. */

export interface Schema<T = unknown> {
  readonly static: T;
}
export interface ObjectSchema<T = unknown> extends Schema<T> {
  readonly type: 'object';
}
export interface OptionalSchema<T = unknown> extends Schema<T> {
  readonly optional: true;
}
export type Static<S> = S extends Schema<infer T> ? T : never;
export type Properties = Readonly<Record<string, Schema>>;
type OptionalKeys<P> = { [K in keyof P]: P[K] extends OptionalSchema ? K : never }[keyof P];
export type StaticOf<P> = { [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & {
  [K in OptionalKeys<P>]?: Static<P[K]>;
};
export interface SchemaOptions {
  readonly description?: string;
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}
export interface TypeBuilder {
  String(options?: SchemaOptions): Schema<string>;
  Integer(options?: SchemaOptions): Schema<number>;
  Number(options?: SchemaOptions): Schema<number>;
  Boolean(options?: SchemaOptions): Schema<boolean>;
  Null(options?: SchemaOptions): Schema<null>;
  Unknown(options?: SchemaOptions): Schema<unknown>;
  Literal<const V extends string | number | boolean>(value: V, options?: SchemaOptions): Schema<V>;
  Array<S extends Schema>(items: S, options?: SchemaOptions): Schema<Static<S>[]>;
  Object<P extends Properties>(properties: P, options?: SchemaOptions): ObjectSchema<StaticOf<P>>;
  Record<S extends Schema>(
    key: Schema<string>,
    value: S,
    options?: SchemaOptions,
  ): Schema<Record<string, Static<S>>>;
  Union<S extends readonly Schema[]>(schemas: [...S], options?: SchemaOptions): Schema<Static<S[number]>>;
  Optional<S extends Schema>(schema: S): OptionalSchema<Static<S>>;
}

/* The database: drizzle-orm, as far as both engines answer it alike. Always await a query: it is an array of rows. */

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export interface Db {
  readonly engine: 'sqlite' | 'postgres';
  /** Reads outside a transaction. */
  readonly q: Query;
  /** All of `work` is stored or nothing. Inside use only the given `q`; no network, no timer. PostgreSQL may run it again. */
  tx<T>(work: (q: Query) => Promise<T>): Promise<T>;
}

export interface Query {
  select(): { from<T extends AnyTable>(table: T): Select<Row<T>> };
  select<F extends Readonly<Record<string, Selected>>>(
    fields: F,
  ): { from(table: AnyTable): Select<{ [K in keyof F]: F[K] extends Selected<infer V> ? V : never }> };
  insert<T extends AnyTable>(table: T): { values(values: NewRow<T> | NewRow<T>[]): Insert<T> };
  update<T extends AnyTable>(table: T): { set(values: Changes<T>): Where<T> };
  delete<T extends AnyTable>(table: T): Where<T>;
}
export interface Select<R> extends Promise<R[]> {
  where(condition: Condition | undefined): this;
  orderBy(...by: Condition[]): this;
  groupBy(...by: Selected[]): this;
  limit(rows: number): this;
  offset(rows: number): this;
  prepare(name?: never): unknown;
}
export interface Insert<T extends AnyTable> extends Promise<unknown> {
  returning(): Promise<Row<T>[]>;
  onConflictDoNothing(): this;
  onConflictDoUpdate(on: { target: Selected | Selected[]; set: Changes<T> }): this;
}
export interface Where<T extends AnyTable> {
  where(condition: Condition | undefined): Promise<unknown> & { returning(): Promise<Row<T>[]> };
}

/** What a select may name: a column or an expression. */
export interface Selected<T = unknown> {
  readonly value: T;
}
export interface Condition {
  readonly condition: true;
}
export interface Expression<T = unknown> extends Selected<T>, Condition {
  mapWith<R>(convert: (value: unknown) => R): Expression<R>;
  as(alias: string): Expression<T>;
}

export interface ColumnKind<T, Needed extends boolean> {
  readonly kind: T;
  readonly needed: Needed;
}
export interface NewColumn<T> extends ColumnKind<T | null, false> {
  notNull(): NewRequired<T>;
}
export interface NewRequired<T> extends ColumnKind<T, true> {
  default(value: T): ColumnKind<T, false>;
}
type Kinds = Readonly<Record<string, ColumnKind<unknown, boolean>>>;
export type Table<C extends Kinds> = { readonly [K in keyof C]: Selected<C[K]['kind']> } & {
  readonly $kinds: C;
  readonly $inferSelect: { [K in keyof C]: C[K]['kind'] };
};
export interface AnyTable {
  readonly $kinds: Kinds;
}
export type Row<T extends AnyTable> = { [K in keyof T['$kinds']]: T['$kinds'][K]['kind'] };
type NeededKeys<C extends Kinds> = { [K in keyof C]: C[K]['needed'] extends true ? K : never }[keyof C];
export type NewRow<T extends AnyTable> = { [K in NeededKeys<T['$kinds']>]: T['$kinds'][K]['kind'] } & {
  [K in Exclude<keyof T['$kinds'], NeededKeys<T['$kinds']>>]?: T['$kinds'][K]['kind'];
};
export type Changes<T extends AnyTable> = { [K in keyof T['$kinds']]?: T['$kinds'][K]['kind'] | Expression };

export interface Columns {
  /** @example const notes = table('notes_entries', { id: id('id'), text: text('text').notNull() }); */
  table<C extends Kinds>(name: string, columns: C): Table<C>;
  /** A number that the database assigns. */
  id(name: string): ColumnKind<number, false>;
  text(name: string): NewColumn<string>;
  /** A whole number up to 2^53-1. */
  int(name: string): NewColumn<number>;
  bool(name: string): NewColumn<boolean>;
  /** Epoch milliseconds. */
  time(name: string): NewColumn<number>;
  json<T>(name: string): NewColumn<T>;
  countRows(): Expression<number>;
  /** Locks the rows that a transaction changes. @example const [note] = await forUpdate(q.select().from(notes).where(eq(notes.id, 7))); */
  forUpdate<S extends object>(select: S): S;
}

export interface Conditions {
  and(...conditions: (Condition | undefined)[]): Condition | undefined;
  or(...conditions: (Condition | undefined)[]): Condition | undefined;
  eq<T>(left: Selected<T>, right: T | Expression): Condition;
  ne<T>(left: Selected<T>, right: T | Expression): Condition;
  lt<T>(left: Selected<T>, right: T | Expression): Condition;
  lte<T>(left: Selected<T>, right: T | Expression): Condition;
  gt<T>(left: Selected<T>, right: T | Expression): Condition;
  gte<T>(left: Selected<T>, right: T | Expression): Condition;
  like(left: Selected, pattern: string): Condition;
  inArray<T>(left: Selected<T>, values: T[]): Condition;
  isNull(left: Selected): Condition;
  isNotNull(left: Selected): Condition;
  asc(by: Selected): Condition;
  desc(by: Selected): Condition;
  readonly sql: {
    <T = unknown>(text: TemplateStringsArray, ...values: unknown[]): Expression<T>;
    placeholder(name: string): never;
  };
}
