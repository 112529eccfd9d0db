import { resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { hasDatabaseAt } from '../../db/open/migrate.ts';
import { UsageError } from '../../base/errors.ts';
import { loadModule } from '../../kernel/module-loading.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Demo } from '../../module/module.ts';
import { coreSettings } from '../../settings/settings.ts';
import { isTerminal, writeError } from '../../base/standard-streams.ts';
import { isFile } from '../../tools/file-answer.ts';
import { localExecutor } from '../../tools/local-executor.ts';
import { locationOf, openKernel, toolNames, type Invocation } from '../invocation/invocation.ts';
import { progressLine } from '../invocation/progress-line.ts';

/** How far back the example may begin. */
const beforeMs = 91 * 24 * 3_600_000;

/**
 * `serve --demo`: fills an empty data directory or database with an example. It calls the tools themselves and advances a clock through
 * several weeks, so counts, histories and the audit log look like real work.
 * @throws UsageError when a database exists already, or the modules of the example are not loaded.
 */
export async function fillDemo(invocation: Invocation): Promise<void> {
  const { config } = invocation;
  const demo = await demoOf(invocation);
  await refuseData(invocation);
  const now = systemClock.now();
  let time = now - beforeMs;
  const mode = config.read(coreSettings).migrate === 'check' ? 'require' : 'alone';
  const kernel = await openKernel({ ...invocation, clock: { ...systemClock, now: () => time } }, mode);
  const progress = progressLine({ lines: false });
  const message = 'Filling the database with an example project …';
  if (isTerminal('stderr')) writeError(`${message}\n`);
  else invocation.log.info('demo_begins', { message });
  try {
    await demo.make({
      host: kernel.host,
      now,
      at: (epochMs) => void (time = Math.max(time, Math.min(epochMs, now))),
      call: callOf(kernel),
      progress: progress.show,
    });
  } finally {
    progress.end();
    await kernel.stop();
  }
}

/** @throws UsageError. */
async function demoOf(invocation: Invocation): Promise<Demo> {
  const all = await Promise.all(invocation.modules.map((module) => loadModule(module)));
  const [demo] = all.flatMap((module) => module.demo ?? []);
  const known = new Set(toolNames(invocation).map(({ toolset }) => toolset));
  if (demo?.toolsets.every((toolset) => known.has(toolset))) return demo;
  throw new UsageError('--demo needs all built-in modules: leave out --modules.');
}

/** @throws UsageError. */
async function refuseData({ config }: Invocation): Promise<void> {
  const location = locationOf(config);
  if (!(await hasDatabaseAt(location))) return;
  const where = location.engine === 'sqlite' ? resolve(config.read(coreSettings).data) : 'the database';
  throw new UsageError(
    `--demo fills an empty place only, and ${where} has data of Trivet already: of an earlier start, or of a --demo that was ` +
      'interrupted. Leave out --demo to serve it, or name an empty place with --data or --database.',
  );
}

const callOf =
  (kernel: Kernel) =>
  async (tool: string, input: object, email?: string): Promise<Readonly<Record<string, unknown>>> => {
    const actor = await kernel.identity.local(kernel.host, email);
    const { signal } = new AbortController();
    const answer = await localExecutor(kernel, actor, {}).call(tool, input, { signal });
    if (isFile(answer) || typeof answer !== 'object' || answer === null)
      throw new Error(`${tool} answered no record`);
    return answer as Readonly<Record<string, unknown>>;
  };
