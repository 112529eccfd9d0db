import type { WriteEntry } from './write-entry.ts';
import type { Elysia } from 'elysia';
import type { Migration } from './db/migration.ts';
import type { Actor } from './actor.ts';
import type { SettingTable } from './settings/settings.ts';
import type { Query } from './db/db.ts';
import type { FaultKind } from './errors.ts';
import type { Host } from './host.ts';
import type { Operation } from './tools/operation.ts';

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

/** What a module does: read only by what needs it. */
export interface ModuleParts {
  /** Drizzle tables, their names prefixed by the module's: checked against the database at start. */
  readonly tables?: Readonly<Record<string, object>>;
  readonly operations?: readonly Operation[];
  /** Adds plain HTTP routes for a wire format of the module's own. */
  readonly routes?: (app: Elysia, host: Host) => void;
  /** Throws a Fault that says why this module cannot serve now: part of `GET /readyz`, and a server does not start then. Cheap: it may be asked every second. */
  readonly ready?: (host: Host) => Promise<void>;
  readonly jobs?: readonly Job[];
  readonly checks?: readonly Check[];
  /** Runs once after migration; the returned function runs at stop, in reverse order. */
  readonly start?: (host: Host) => Promise<void | (() => Promise<void>)>;
  /**
   * Runs when the HTTP server listens; the lines go to stderr for the person who started it. Where that is no terminal it is a log,
   * which others read: no secret may be in them.
   */
  readonly greeting?: (host: Host, to: { readonly terminal: boolean }) => Promise<readonly string[]>;
}

/**
 * A module: a small manifest, and its parts. Only `name` is required. A plugin is one plain object that holds its parts. A built-in
 * module keeps them behind `load`, so that a command loads what it needs: `trivet call get-tests` loads the parts of one module.
 *
 * @example
 * defineModule({
 *   name: 'notes',
 *   requires: ['auth'],
 *   tools: { notes: ['add-note'] },
 *   load: async () => ({ operations: [addNote] }),
 * });
 */
export interface Module extends ModuleParts {
  readonly name: string;
  /** Names of modules that must be loaded too. They start before this one and stop after it. */
  readonly requires?: readonly string[];
  readonly errors?: Readonly<Record<string, FaultKind>>;
  readonly settings?: SettingTable;
  /** Names of files that it keeps in the data directory, beside the database: a backup needs them. */
  readonly files?: readonly string[];
  /** Migrations of a plugin. The built-in modules' are generated into `drizzle/`. */
  readonly migrations?: { readonly sqlite: readonly Migration[]; readonly postgres: readonly Migration[] };
  /** With `load`: the names of its operations by toolset. Loading fails unless they are the ones that `load` answers. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /**
   * For a module whose toolset MCP offers without being asked: how its tools work together, for the agent. A short list is
   * what an agent chooses well from, so this is for the few.
   */
  readonly mcpInstructions?: string;
  /** For the one module that knows the callers. */
  readonly identity?: () => Promise<Identity>;
  readonly commands?: readonly Command[];
  /** Headers of its own that a page of an allowed origin (`--cors-origin`) may send. */
  readonly corsHeaders?: readonly string[];
  /** What whoever starts a server should know of these settings: lines for stderr. */
  readonly warnings?: (host: Host, server: { readonly loopback: boolean }) => readonly string[];
  /** Its parts, for a module that does not hold them itself. */
  readonly load?: () => Promise<ModuleParts>;
}

/**
 * Declares a module; the kernel checks it when it starts.
 * @example export default ({ defineModule }: PluginKit) => defineModule({ name: 'notes' });
 */
export function defineModule(module: Module): Module {
  return module;
}
