import { codeForLog } from './foreign-errors.ts';
import { PluginFailure } from './plugin-failure.ts';
import { writeError } from './standard-streams.ts';

/** A log line is one JSON object on stderr, on every surface: stdout is for results. Fields contain ids, never tokens or personal data. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  /** Pass a function if the fields are expensive to compute: most servers do not log this level. */
  debug(event: string, fields?: LogFields | (() => LogFields)): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A line of the access log (`--access-log`), whatever the level. */
  access(fields: LogFields): void;
}

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** @param followed the lowest severity that is logged, or what tells it and its changes. @param always fields of every line, e.g. which of several processes wrote it. */
export function createLog(
  followed: LogLevel | ((take: (level: LogLevel) => void) => void),
  now: () => number,
  write = writeError,
  always: LogFields = {},
): Log {
  let lowest: LogLevel = 'info';
  if (typeof followed === 'string') lowest = followed;
  else followed((level) => (lowest = level));
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields | (() => LogFields) = {}) => {
      if (order.indexOf(level) < order.indexOf(lowest)) return;
      put(level, event, typeof fields === 'function' ? fields() : fields);
    };
  const lineOf = (level: LogLevel, event: string, fields: LogFields) =>
    `${JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...always, ...fields })}\n`;
  const put = (level: LogLevel, event: string, fields: LogFields) => write(lineOf(level, event, fields));
  let held = '';
  return {
    access: (fields) => {
      // All lines of one turn of the event loop are written together: a write costs more than a line.
      if (held === '')
        setImmediate(() => {
          write(held);
          held = '';
        });
      held += lineOf('info', 'access', fields);
    },
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

/** The fields of an unexpected error that may be logged: its class and stack frames, never its message, which may quote data. */
export function errorFields(thrown: unknown): LogFields {
  if (thrown instanceof PluginFailure)
    return { plugin: thrown.plugin, ...errorFields(thrown.cause ?? new Error(thrown.message)) };
  if (!(thrown instanceof Error)) return { error: typeof thrown };
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const code = codeForLog(thrown);
  return {
    error: thrown.name,
    ...(code === undefined ? {} : { code }),
    at: frames
      .slice(0, 6)
      .map((line) => line.trim())
      .join(' | '),
  };
}
