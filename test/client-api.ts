import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** docs/client-api.md, parsed for its tests. */
export const page = readFileSync(join(import.meta.dir, '../docs/client-api.md'), 'utf8');

export interface RouteSection {
  /** The route as in the OpenAPI document, e.g. `post /cta/active/state-machines/`. */
  readonly route: string;
  readonly text: string;
  /** The shell commands, and the response that the page shows below them. */
  readonly commands: string;
  readonly shown: unknown;
  /** The codes in the line "Errors: …". */
  readonly errors: readonly string[];
}

/** The sections "### METHOD /path". */
export const sections: readonly RouteSection[] = page
  .split(/^### (?=[A-Z]+ \/)/m)
  .slice(1)
  .map((part) => {
    const [text = ''] = part.split(/^## /m);
    const [, method = '', path = ''] = /^([A-Z]+) (\S+)/.exec(text) ?? [];
    const [, commands = '', json = ''] =
      /^```sh\n([\s\S]*?)^```\n\n```json\n([\s\S]*?)^```$/m.exec(text) ?? [];
    const [, errors = ''] = /^Errors: ([\s\S]*)$/m.exec(text) ?? [];
    return {
      route: `${method.toLowerCase()} ${path}`,
      text,
      commands,
      shown: JSON.parse(json) as unknown,
      errors: [...errors.matchAll(/`([A-Z_]{4,})`/g)].map(([, code = '']) => code),
    };
  });

/** The rows of the table "Errors": code and status. */
export const errorRows: ReadonlyMap<string, number> = new Map(
  [...page.matchAll(/^\| `([A-Z_]+)` +\| (\d{3}) /gm)].map(([, code = '', status]) => [code, Number(status)]),
);

const [, , foreign = ''] = page.split(/^(## Codes that apps do not get)$/m);
/** The codes that, according to the page, apps do not receive. */
export const foreignCodes = [...foreign.matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => code);

/** The codes that every route may return. */
export const codesOfAll = [
  'HOST_NOT_ALLOWED',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL',
  'DATABASE_BUSY',
  'STORAGE_FAILED',
  'SCHEMA_IS_NEWER',
  'STANDBY',
  'FENCED',
  'CLAIM_LOST',
  'SERVER_BUSY',
  'SHUTTING_DOWN',
];

/** A response in the notation of the page: where the page shortens with "…", a response with the same beginning is shortened too. */
export function asShown(answer: unknown, shown: unknown): unknown {
  if (typeof answer === 'string' && typeof shown === 'string' && shown.endsWith('…')) {
    return answer.startsWith(shown.slice(0, -1)) ? shown : answer;
  }
  if (typeof answer !== 'object' || answer === null || typeof shown !== 'object' || shown === null)
    return answer;
  if (Array.isArray(answer)) {
    const items = shown as readonly unknown[];
    return answer.map((each, index) => asShown(each, items[index]));
  }
  const fields = shown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(answer).map(([name, each]) => [name, asShown(each, fields[name])]),
  );
}
