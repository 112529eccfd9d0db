import type { Elysia } from 'elysia';
import type { WriteEntry } from './tools/audited-write.ts';
import type { Actor } from './actor.ts';
import type { SettingTable } from './settings/settings.ts';
import type { Query } from './db/db.ts';
import type { FaultKind } from './errors.ts';
import type { Host } from './host.ts';
import type { Operation } from './tools/operation.ts';

/** One SQL migration, applied once, in order of the list. The text never changes after it was released. */
export interface Migration {
  readonly tag: string;
  readonly sql: string;
}

/** How callers are known. Exactly one loaded module offers it. */
export interface Identity {
  /**
   * The actor behind a bearer credential, or null when it is not (or no longer) a valid one.
   * @param audiences for whom a token must have been made; any, unless given.
   */
  authenticate(host: Host, bearer: string, audiences?: readonly string[]): Promise<Actor | null>;
  /** The actor of whoever owns the data directory; `email` narrows it to that person's roles. Throws a Fault if unknown. */
  local(host: Host, email: string | undefined): Promise<Actor>;
  /** Keeps the record of a write, in the transaction of that write. */
  record(q: Query, entry: WriteEntry): Promise<void>;
}

/** A verb of the command line, e.g. `token create`. `run` answers what goes to stdout. */
export interface Command {
  readonly verb: string;
  readonly summary: string;
  readonly settings: SettingTable;
  /** It only reads: it works on a database that is there and begins none. "configuration": it looks at no data at all. */
  readonly reads?: 'data' | 'configuration';
  /** `values` are the resolved settings; read them with `host.config.read(settings)`. */
  run(host: Host): Promise<CommandAnswer>;
}

/** `data` is printed as JSON with `--json`, `text` without. */
export interface CommandAnswer {
  readonly data: unknown;
  readonly text: string;
  /** What else to tell the person, on stderr. */
  readonly note?: string;
  /** The command worked and what it found is bad: it is printed all the same, and the exit code is 1. */
  readonly failed?: boolean;
}

/** Work that repeats while a server runs. Runs never overlap; a failed run is logged and tried again. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  run(host: Host): Promise<void>;
}

/** Something that `trivet doctor` found, for a person who has to repair it. */
export interface Finding {
  /** One stable word: others script against it. */
  readonly finding: string;
  readonly message: string;
  readonly remedy: string;
  /** It was repaired by this run. */
  readonly repaired?: true;
}

/** Looks for what is wrong with data of the module; with `repair` it puts right what can be worked out again. */
export interface Check {
  readonly name: string;
  run(host: Host, options: { readonly repair: boolean }): Promise<readonly Finding[]>;
}

/** A plugin module: one plain object. Only `name` is required. */
export interface Module {
  readonly name: string;
  /** Names of modules that must be loaded too. They start before this one and stop after it. */
  readonly requires?: readonly string[];
  readonly errors?: Readonly<Record<string, FaultKind>>;
  readonly settings?: SettingTable;
  /** Drizzle tables, names prefixed by the module's: checked against the database at start. */
  readonly tables?: Readonly<Record<string, object>>;
  /** Names of files that it keeps in the data directory, beside the database: a backup needs them. */
  readonly files?: readonly string[];
  /** Migrations of a plugin. The built-in modules' are generated into `drizzle/`. */
  readonly migrations?: { readonly sqlite: readonly Migration[]; readonly postgres: readonly Migration[] };
  readonly operations?: readonly Operation[];
  /**
   * For a module whose toolset MCP offers without being asked: how its tools work together, for the agent. A short list is
   * what an agent chooses well from, so this is for the few.
   */
  readonly mcpInstructions?: string;
  readonly identity?: Identity;
  /** Adds plain HTTP routes for a wire format of the module's own. */
  readonly routes?: (app: Elysia, host: Host) => void;
  /** Throws a Fault that says why this module cannot serve now: part of `GET /readyz`, and a server does not start then. Cheap: it may be asked every second. */
  readonly ready?: (host: Host) => Promise<void>;
  readonly jobs?: readonly Job[];
  readonly checks?: readonly Check[];
  readonly commands?: readonly Command[];
  /** Runs once after migration on every surface; the returned function runs at stop, in reverse order. */
  readonly start?: (host: Host) => Promise<void | (() => Promise<void>)>;
  /**
   * Runs when the HTTP server listens; the lines go to stderr for the person who started it. Where that is no terminal it is a log,
   * which others read: no secret may be in them.
   */
  readonly greeting?: (host: Host, to: { readonly terminal: boolean }) => Promise<readonly string[]>;
}

export function defineModule(module: Module): Module {
  return module;
}
