import type { Module } from '../module/module.ts';

/** String literals, quoted bodies and comments, which are not statements. Names in double quotes stay. */
const quoted = /'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** The migrations of a start are one transaction, which these would end or leave. */
const outside =
  /^(begin|commit|end|rollback|savepoint|release|start|pragma|attach|detach|vacuum|set|lock)\b/i;

/** A statement and the name of what it changes. */
const changes = new RegExp(
  [
    '^(?:create|alter|drop)\\s+(?:(?:unique|temp|temporary|virtual|materialized)\\s+)*(?:table|index|view|trigger|sequence|type|function)',
    '^insert(?:\\s+or\\s+\\w+)?\\s+into',
    '^replace\\s+into',
    '^update(?:\\s+or\\s+\\w+|\\s+only)?',
    '^delete\\s+from(?:\\s+only)?',
    '^truncate(?:\\s+table)?',
  ]
    .map((head) => `(?:${head})`)
    .join('|')
    .replace(/^/, '(?:')
    .replace(/$/, ')(?:\\s+concurrently)?(?:\\s+if\\s+(?:not\\s+)?exists)?\\s+"?([\\w.]+)"?'),
  'i',
);

/**
 * What is wrong with a migration of a plugin, or undefined: it may only change objects with the prefix of the plugin, within the startup
 * transaction. This finds mistakes before anything is opened. It is not a security boundary: a plugin runs with all rights.
 */
export function foreignStatement({
  name,
  migrations,
}: Pick<Module, 'name' | 'migrations'>): string | undefined {
  for (const engine of ['sqlite', 'postgres'] as const) {
    for (const { tag, sql } of migrations?.[engine] ?? []) {
      const where = `its ${engine} migration "${tag}"`;
      for (const statement of statementsOf(sql)) {
        const head = outside.exec(statement)?.[1];
        if (head !== undefined)
          return `${where} has a statement ${head.toUpperCase()}: the migrations of a start are one transaction, which it must not leave.`;
        const changed = changes.exec(statement)?.[1];
        if (changed !== undefined && !changed.toLowerCase().startsWith(`${name}_`))
          return `${where} changes "${changed}": a plugin changes only what is named "${name}_…".`;
      }
    }
  }
  return undefined;
}

/** The statements of a migration. The body of a trigger is a part of its own. */
const statementsOf = (sql: string): readonly string[] =>
  sql
    .replaceAll(quoted, ' ')
    .replaceAll(/\bbegin\b((?:(?!\bend\b)[\s\S])*?;)\s*end\b/gi, '; $1 ;')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
