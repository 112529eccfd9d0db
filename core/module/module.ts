import type { Elysia } from 'elysia';
import type { Actor } from '../base/actor.ts';
import type { Back } from '../db/query/came-back.ts';
import type { Query } from '../db/query/db.ts';
import type { Migration } from '../db/ledger/migration.ts';
import type { FaultKind } from '../base/errors.ts';
import type { Host, LetterKind } from '../host/host.ts';
import type { MetricTable } from '../metrics/metric.ts';
import type { SettingTable } from '../settings/settings.ts';
import type { ContextParts } from '../tools/context-kinds.ts';
import type { IdListings } from '../tools/id-explanation.ts';
import type { CallerTools, NamedTool } from '../tools/executor.ts';
import type { Operation } from '../tools/operation.ts';
import type { MergedUsers, WriteEntry, WriteEvent } from '../base/write-entry.ts';
import type { Command } from './command.ts';

/** How callers are authenticated. Exactly one loaded module provides it. */
export interface Identity {
  /**
   * The actor of a bearer credential, or null when it is not (or no longer) valid.
   * @param audiences the audiences that a token may be issued for; any unless given.
   */
  authenticate(host: Host, bearer: string, audiences?: readonly string[]): Promise<Actor | null>;
  /** The owner of the data directory as an actor; with `email`, that user. @throws Fault for an unknown user. */
  local(host: Host, email: string | undefined): Promise<Actor>;
  /**
   * The actor of a browser, by the cookie of one of our own pages; null without a live session. The caller has checked where the request
   * comes from.
   */
  browser?(host: Host, request: Request): Promise<Actor | null>;
  /**
   * How a client of `/mcp` gets a token: the header `WWW-Authenticate` of its 401, or of the 403 for a token that has too little.
   * @param scopes what the token should allow.
   */
  challenge?(host: Host, request: Request, scopes: readonly string[], error?: 'insufficient_scope'): string;
  /** The address of the page that ends letters of a kind for their recipient. */
  letterEndLink?(host: Host, recipient: string, kind: string): string;
  /** Writes the audit entry of a write, in its transaction. */
  record(q: Query, entry: WriteEntry): Promise<void>;
}

/** A link that is live in a restored database, and was not any more in the data that it replaced. */
export interface LinkBack {
  readonly shareLinkId: number;
  readonly projectId: number;
}

/** The choices of a restore. */
export interface RestoreChoice {
  readonly endSessions: boolean;
  readonly revokeTokens: boolean;
}

/** Who can sign in with a restored database. What has reappeared is known only if the previous data could be read. */
export interface RestoreNote {
  readonly sessions: number;
  readonly tokens: number;
  readonly members: number;
  readonly tokensBack?: ReadonlyArray<{
    readonly tokenId: number;
    readonly name: string;
    readonly userId: number;
  }>;
  readonly tokensBackCount?: number;
  readonly membersBack?: ReadonlyArray<{
    readonly orgId: number;
    readonly userId: number;
    readonly role: string;
  }>;
  readonly membersBackCount?: number;
  /** Sessions that were ended since the backup. */
  readonly sessionsBack?: ReadonlyArray<{ readonly sessionId: string; readonly userId: number }>;
  readonly sessionsBackCount?: number;
  /** Users who were disabled, merged or erased since the backup. */
  readonly usersBack?: ReadonlyArray<{ readonly userId: number }>;
  readonly usersBackCount?: number;
  /** Invitations that were revoked or redeemed since the backup. */
  readonly invitationsBack?: ReadonlyArray<{
    readonly invitationId: number;
    readonly orgId: number;
    readonly role: string;
  }>;
  readonly invitationsBackCount?: number;
  /** Links by which anybody reads a report, revoked since the backup. */
  readonly shareLinksBack?: readonly LinkBack[];
  readonly shareLinksBackCount?: number;
  readonly sessionsEnded: number;
  readonly tokensRevoked: number;
}

/** Completions for a text that is a tool parameter, e.g. a query: whole texts. */
export type Completions = (tool: string, parameter: string, text: string) => readonly string[];

/** Work that repeats while a server runs. Runs never overlap. A failed run is logged, and the next one comes as planned. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** @param signal aborts when the server stops, which waits for the run. */
  run(host: Host, signal: AbortSignal): Promise<void>;
}

/** One thing that `trivet doctor` found, for the user who must repair it. */
export interface Finding {
  /** One stable word: scripts depend on it. */
  readonly finding: string;
  readonly message: string;
  readonly remedy: string;
  /** This run repaired it. */
  readonly repaired?: true;
  /** It works, but somebody should look at it: the exit code stays 0. */
  readonly warning?: true;
}

/** Checks the data of the module. With `repair` it corrects what can be recomputed. */
export interface Check {
  readonly name: string;
  run(host: Host, options: { readonly repair: boolean }): Promise<readonly Finding[]>;
}

/** A file that exports operations, so that a command loads only what it runs: `trivet call` loads one of twenty files. */
export interface OperationFile {
  /** The namespace of the file. */
  readonly load: () => Promise<object>;
  /** In the order of their declarations. */
  readonly tools: readonly NamedTool[];
}

/** What a {@link Demo} works with. */
export interface DemoStage {
  readonly host: Host;
  /** The present time, at which the example ends (epoch ms). */
  readonly now: number;
  /** Sets the clock of the host, forwards only. */
  at(epochMs: number): void;
  /** Calls a tool as the user with an e-mail address, or as the owner. @throws Fault as the tool does. */
  call(tool: string, input: object, email?: string): Promise<Readonly<Record<string, unknown>>>;
  progress(done: number, total: number, what: string): void;
}

/** An example for an empty database. */
export interface Demo {
  /** The toolsets that it calls. */
  readonly toolsets: readonly string[];
  make(stage: DemoStage): Promise<void>;
}

/** What a module does. Only a command that needs these parts loads them. */
export interface ModuleParts {
  /** Drizzle tables whose names begin with the module's: checked against the database at start. */
  readonly tables?: Readonly<Record<string, object>>;
  readonly operations?: readonly Operation[];
  /** The metrics that it counts with `host.metrics`. */
  readonly metrics?: MetricTable;
  /**
   * Adds HTTP routes for the module's own wire format.
   * @param toolsOf the tools of the caller of a request, for routes that are another form of operations. @throws Fault as `/api/tools` does.
   */
  readonly routes?: (app: Elysia, host: Host, toolsOf: (request: Request) => Promise<CallerTools>) => void;
  /** Throws a Fault that says why this module cannot serve now: `GET /readyz` fails and a server does not start. Must be cheap: it may run every second. */
  readonly ready?: (host: Host) => Promise<void>;
  readonly jobs?: readonly Job[];
  readonly checks?: readonly Check[];
  /** Runs once after migration; the returned function runs at stop, in reverse order. */
  readonly start?: (host: Host) => Promise<void | (() => Promise<void>)>;
  /** Fills a newly created database. If interrupted, completed steps remain. */
  readonly demo?: Demo;
  /**
   * Runs when the HTTP server listens. Returns lines for stderr. Unless stderr is a terminal, they may end up in a log and must not contain
   * secrets.
   */
  readonly greeting?: (host: Host, to: { readonly terminal: boolean }) => Promise<readonly string[]>;
}

/**
 * A module: a small manifest, and its parts. Only `name` is required. A plugin is one plain object that contains its parts. A
 * built-in module loads them with `load`, so that a command loads what it needs: `trivet call get-tests` loads one module's parts.
 *
 * @example
 * defineModule({
 *   name: 'notes',
 *   requires: ['auth'],
 *   operations: [addNote],
 * });
 */
export interface Module extends ModuleParts {
  readonly name: string;
  /** Names of other modules that must be loaded. They start before this one and stop after it. */
  readonly requires?: readonly string[];
  readonly errors?: Readonly<Record<string, FaultKind>>;
  readonly settings?: SettingTable;
  /** The kinds of letters that it sends by e-mail. */
  readonly letters?: readonly LetterKind[];
  /** Names of its files in the data directory, next to the database. `trivet backup` copies them. */
  readonly files?: readonly string[];
  /**
   * Names of tables whose ids are kept outside of the database by something that nobody would correct, e.g. the apps of its users. A
   * database that went back in time gives none of them to something else.
   */
  readonly keptIds?: readonly string[];
  /** Throws a UsageError when a backup that was unpacked cannot be used here, e.g. because its master key is another one. */
  readonly restorable?: (host: Host) => Promise<void>;
  /** Records that a database was restored. @param before the previous data, if it could be read. */
  readonly restored?: (host: Host, choice: RestoreChoice, before: Host | undefined) => Promise<RestoreNote>;
  /** The links that came back with a restore. */
  readonly linksBack?: (host: Host, before: Host) => Promise<Back<LinkBack>>;
  /** Migrations of a plugin. The built-in modules' are generated into `drizzle/`. */
  readonly migrations?: { readonly sqlite: readonly Migration[]; readonly postgres: readonly Migration[] };
  /** The files of its operations (`tools/tool-files.ts`, which is made by `npm run generate`); a plugin has them in `operations`. */
  readonly operationFiles?: readonly OperationFile[];
  /** Whether a single call needs none of its parts: a command then loads only the file of its operation. */
  readonly callsNeedNoParts?: true;
  /** Which parameters of the operations in files take ids. Loaded when a call is wrong. */
  readonly ids?: () => Promise<IdListings>;
  /** The toolset that MCP offers by default. Few modules should have one: an agent chooses well from a short list. */
  readonly defaultToolset?: string;
  /** How its tools work together, for the agent. */
  readonly mcpInstructions?: string;
  /** Its resources and prompts over MCP. Loaded when a client asks for them. */
  readonly mcpContext?: () => Promise<ContextParts>;
  /** For the one module that authenticates callers. */
  readonly identity?: () => Promise<Identity>;
  readonly commands?: readonly Command[];
  readonly completions?: () => Promise<Completions>;
  /** Headers of its own that a page of an allowed origin (`--cors-origin`) may send. */
  readonly corsHeaders?: readonly string[];
  /**
   * Called in the transaction of every audited write, before its COMMIT, with the write as its audit entry has it: what it stores with
   * `q` is stored if the write is, and only then. It must not wait for a network or a timer. PostgreSQL may run the transaction
   * again. If it throws, the write fails and nothing of it is stored.
   */
  readonly onWrite?: (q: Query, event: WriteEvent, host: Host) => Promise<void>;
  /**
   * Called in the transaction that makes one user part of another: joins what the module stores of both. PostgreSQL may run the
   * transaction again. For built-in modules: records of a plugin keep the former id.
   */
  readonly onUsersMerged?: (q: Query, merged: MergedUsers, host: Host) => Promise<void>;
  /** The organization of a write of this module, if known. Called only if a module has `onWrite`. */
  readonly organizationOf?: (q: Query, entry: WriteEntry) => Promise<number | undefined>;
  /** Warnings about settings, as lines for stderr when a server starts. */
  readonly warnings?: (host: Host, server: { readonly loopback: boolean }) => readonly string[];
  /** Loads its parts, unless this object contains them. */
  readonly load?: () => Promise<ModuleParts>;
}

/**
 * Declares a module; the kernel checks it when it starts.
 * @example export default ({ defineModule }: PluginKit) => defineModule({ name: 'notes' });
 */
export function defineModule(module: Module): Module {
  return module;
}

/** The tables of all modules whose ids are kept outside of the database. */
export const keptIdsOf = (modules: readonly Module[]): readonly string[] =>
  modules.flatMap(({ keptIds = [] }) => keptIds);
