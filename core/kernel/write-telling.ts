import { whileOpen, type Query } from '../db/query/db.ts';
import { storageFault } from '../base/foreign-errors.ts';
import { Fault } from '../base/errors.ts';
import type { Host } from '../host/host.ts';
import type { Identity, Module } from '../module/module.ts';
import { PluginFailure } from '../base/plugin-failure.ts';
import type { WriteEntry, WriteEvent } from '../base/write-entry.ts';

/** The time limit for the hook of one module. On SQLite every other write waits for it. */
const hookLimitMs = 5_000;

/** The modules with a hook for writes. */
export const listenersOf = (modules: readonly Module[]): readonly Module[] =>
  modules.filter(({ onWrite }) => onWrite);

/**
 * Writes the audit entry of a write and calls the hooks of the modules, in its transaction.
 * @throws the error of a hook; PluginFailure when it takes too long. Then the write fails.
 */
export async function recordAndTell(
  q: Query,
  entry: WriteEntry,
  { identity, modules, host }: { identity: Identity; modules: readonly Module[]; host: Host },
): Promise<void> {
  await identity.record(q, entry);
  const event = await eventOf(q, entry, modules);
  for (const module of listenersOf(modules)) await tell(q, module, event, host);
}

async function tell(q: Query, { name, onWrite }: Module, event: WriteEvent, host: Host): Promise<void> {
  // A hook that continues after its timeout would write into another transaction.
  const open = whileOpen(q);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const over = () => reject(new PluginFailure(name, `onWrite took longer than ${hookLimitMs / 1000} s`));
    timer = setTimeout(over, hookLimitMs);
  });
  try {
    await Promise.race([onWrite?.(open.q, event, host), late]);
  } catch (error) {
    throw storageFault(error) instanceof Fault ? error : PluginFailure.of(name, error);
  } finally {
    clearTimeout(timer);
    open.close();
  }
}

async function eventOf(q: Query, entry: WriteEntry, modules: readonly Module[]): Promise<WriteEvent> {
  const { at, actorId, operation: type, ids, surface, subject } = entry;
  const { projectId = null, runId = null, changes = null } = subject ?? {};
  const orgId = await organizationOf(q, entry, modules);
  return { type, at, actorId, surface, orgId, projectId, runId, ids, changes };
}

/** The module's own answer takes precedence: the organization in the arguments of a call may be one of several. */
async function organizationOf(
  q: Query,
  entry: WriteEntry,
  modules: readonly Module[],
): Promise<number | null> {
  for (const module of modules) {
    const orgId = await module.organizationOf?.(q, entry);
    if (orgId !== undefined) return orgId;
  }
  const { orgId } = entry.ids;
  return typeof orgId === 'number' ? orgId : null;
}
