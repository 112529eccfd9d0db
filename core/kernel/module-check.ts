import { Kind, type TSchema } from '@sinclair/typebox';
import { getTableName, is, sql, Table } from 'drizzle-orm';
import type { Db } from '../db/query/db.ts';
import { engine } from '../db/query/engine.ts';
import { expansions } from '../db/ledger/ledger.ts';
import { coreErrors, UsageError } from '../base/errors.ts';
import type { Module } from '../module/module.ts';
import { sentence } from '../base/problem.ts';
import { check } from '../base/schema.ts';
import type { Config } from '../settings/config.ts';
import type { SettingTable } from '../settings/settings.ts';
import type { Operation } from '../tools/operation.ts';

/** Modules after those they require. @throws UsageError for a missing or circular requirement, or a name used twice. */
export function inOrder(modules: readonly Module[]): readonly Module[] {
  const byName = new Map<string, Module>();
  for (const module of modules) {
    if (byName.has(module.name)) throw new UsageError(`Two modules are named "${module.name}".`);
    byName.set(module.name, module);
  }
  const ordered: Module[] = [];
  const visit = (module: Module, path: readonly string[]) => {
    if (ordered.includes(module)) return;
    if (path.includes(module.name)) {
      throw new UsageError(`Modules require each other in a circle: ${[...path, module.name].join(' → ')}.`);
    }
    for (const name of module.requires ?? []) {
      const required = byName.get(name);
      if (!required) {
        const all = [...byName.keys(), name].join(',');
        throw new UsageError(`The module "${module.name}" requires "${name}". Load both: --modules ${all}`);
      }
      visit(required, [...path, module.name]);
    }
    ordered.push(module);
  };
  for (const module of modules) visit(module, []);
  return ordered;
}

/** Checks all modules before anything is opened. @throws UsageError that names the module and the mistake. */
export function checkModules(modules: readonly Module[]): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  const codes = new Map<string, string>(Object.keys(coreErrors).map((code) => [code, 'core']));
  const identities = modules.filter((module) => module.identity);
  if (identities.length > 1) {
    throw new UsageError(`Two modules identify users: ${identities.map(({ name }) => name).join(' and ')}.`);
  }
  for (const module of modules) {
    const mistake = (problem: string) => new UsageError(`Module "${module.name}": ${problem}`);
    if (!/^[a-z][a-z0-9_-]{0,30}$/.test(module.name)) {
      throw mistake('its name must be a lowercase word of at most 31 characters.');
    }
    if (module.name === expansions) throw mistake('this name is taken by the kernel. Choose another.');
    for (const code of Object.keys(module.errors ?? {})) {
      const owner = codes.get(code);
      if (owner) throw mistake(`the error code ${code} is already one of "${owner}".`);
      codes.set(code, module.name);
    }
    for (const operation of module.operations ?? []) {
      if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(operation.name)) {
        throw mistake(`the operation name "${operation.name}" must be kebab-case.`);
      }
      if (operations.has(operation.name)) throw mistake(`the operation "${operation.name}" exists already.`);
      if (!operation.access)
        throw mistake(`the operation "${operation.name}" does not say who may use it (access).`);
      const open = openObject(operation.input, '');
      if (open !== null) {
        throw mistake(`the input of "${operation.name}" is open${open}: set additionalProperties to false.`);
      }
      operations.set(operation.name, operation);
    }
    for (const table of tablesOf(module)) {
      if (!getTableName(table).startsWith(`${module.name}_`)) {
        throw mistake(`the table "${getTableName(table)}" must be named "${module.name}_…".`);
      }
    }
  }
  return operations;
}

/**
 * The path at which an input schema accepts undeclared properties, or null. An object without declared properties is intentional free-form
 * data (a rule, a context) and must say so with `additionalProperties: true`.
 */
function openObject(schema: TSchema, path: string): string | null {
  if (schema['type'] === 'array') return openObject(schema['items'] as TSchema, `${path}[]`);
  if (schema['type'] !== 'object') return null;
  const properties = (schema['properties'] ?? {}) as Record<string, TSchema>;
  const freeForm =
    Object.keys(properties).length === 0 && schema['additionalProperties'] === true && path !== '';
  if (schema['additionalProperties'] !== false && !freeForm && schema[Kind] !== 'Record') {
    return path ? ` at ${path}` : '';
  }
  for (const [name, property] of Object.entries(properties)) {
    const open = openObject(property, path ? `${path}.${name}` : name);
    if (open !== null) return open;
  }
  return null;
}

const tablesOf = (module: Module) =>
  Object.values(module.tables ?? {}).filter((value): value is Table => is(value, Table));

/** Detects a plugin's table without a migration at startup rather than at the first request. @throws UsageError. */
export async function checkPluginTables(modules: readonly Module[], db: Db): Promise<void> {
  for (const module of modules.filter((candidate) => candidate.migrations)) {
    for (const table of tablesOf(module)) {
      try {
        await db.q
          .select()
          .from(table as never)
          .where(sql`1 = 0`);
      } catch {
        throw new UsageError(
          `Module "${module.name}" declares the table "${getTableName(table)}", but its ${engine()} migrations do not ` +
            'create it with these columns.',
        );
      }
    }
  }
}

/** Checks settings that are tables in a file against their schema. @throws UsageError with the path of each problem. */
export function checkTables(modules: readonly Module[], config: Config): void {
  for (const module of modules) {
    for (const [name, setting] of Object.entries(module.settings ?? {})) {
      if (setting.type !== 'table') continue;
      const part: SettingTable = module.settings ?? {};
      const value = config.read(part)[name];
      if (value === undefined) continue;
      const result = check(setting.schema, value);
      if (!result.ok) throw new UsageError(`${name}: ${sentence(result.problems)}.`);
    }
  }
}
