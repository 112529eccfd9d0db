import type { Clock } from '../base/clock.ts';
import type { GivenFile } from '../base/given-file.ts';
import type { Host } from '../host/host.ts';
import type { Config } from '../settings/config.ts';
import type { SettingTable } from '../settings/settings.ts';

/** The command line's description of a command: its name, its arguments, and what it works on. */
export interface CommandFace {
  /** One or two words, e.g. `token create`. */
  readonly name: string;
  /** What follows the name, as shown by help. If absent, no arguments are allowed. */
  readonly words?: string;
  readonly summary: string;
  /** Its own settings, in addition to those that follow from its need. */
  readonly settings: SettingTable;
  readonly needs: Need;
  /** The tool parameter for which completion treats the words as a value. */
  readonly completes?: { readonly tool: string; readonly parameter: string };
}

/**
 * What a command is given:
 * - `nothing`: it determines itself what it works on, possibly another server; `machine`: on this machine only. Both are for the kernel
 * alone.
 * - `configuration`: a host without data; `data`: it only reads, so that it needs an existing database and creates none; `writable
 *   data`: a missing database is created.
 * - `tools`: calls of tools, on a data directory or, with `--url`, on another server.
 */
export type Need = 'nothing' | 'machine' | 'configuration' | 'data' | 'writable data' | 'tools';

/** Shows how far long work is. @param what the current activity. */
export type ShowProgress = (done: number, total: number, what: string) => void;

/** A command of a module. Its code is loaded when it runs. */
export type Command = HostCommand | ToolCommand;

export interface HostCommand extends CommandFace {
  readonly needs: 'configuration' | 'data' | 'writable data';
  /**
   * Reads its settings with `host.config.read(settings)`.
   * @param progress shows on stderr how far long work is.
   */
  run(host: Host, progress: ShowProgress): Promise<CommandAnswer>;
}

export interface ToolCommand extends CommandFace {
  readonly needs: 'tools';
  /** The tools that it calls. */
  readonly tools: readonly string[];
  run(given: ToolCommandCall): Promise<CommandAnswer>;
}

/** What a {@link ToolCommand} gets. */
export interface ToolCommandCall {
  readonly words: readonly string[];
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls a tool, with files that belong to the call. Shows its progress on a terminal. */
  call(tool: string, input: object, files?: readonly GivenFile[]): Promise<unknown>;
  /** The line width if a person reads the output; undefined if a program does. */
  readonly terminalWidth: number | undefined;
  readonly clock: Clock;
  /** The content of stdin. */
  input(): AsyncIterable<Uint8Array>;
}

/** The output of a command, in one of three forms. */
export type CommandAnswer = CommandEnd &
  (
    | { /** With `--json`. */ readonly data: unknown; /** Without. */ readonly text: string }
    | {
        /** The answer of a tool, printed as `--output` says. */ readonly record: object;
        readonly columns: readonly string[];
      }
    | {
        /** Printed as it is: what a terminal would obey is escaped, and `--json` is taken care of. */ readonly output: string;
      }
  );

interface CommandEnd {
  /** A hint for the user, on stderr. */
  readonly note?: string;
  /** The command worked and found something bad: the result is printed and the exit code is 1. */
  readonly failed?: boolean;
}
