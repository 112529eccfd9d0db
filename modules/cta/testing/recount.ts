import { join } from 'node:path';
import { root } from '../../../test/imports.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';

/* Compares the figures of the tools with those that a program in another language, without our code, counts in the export. */

/** Python 3, if this machine has it. */
export const python = Bun.which('python3');

interface Recount {
  readonly figures: Readonly<Record<string, number>>;
  readonly users: Readonly<Record<string, number>>;
  readonly ever: Readonly<Record<string, number>>;
  readonly conversions: Readonly<Record<string, number>>;
}

interface Goal {
  readonly ctaId: string;
  readonly name: string;
  readonly on: object;
  readonly windowHours: number;
}

interface Metrics {
  readonly items: readonly (Readonly<Record<string, number | string | null>> & { readonly at?: number })[];
  readonly goals: readonly { readonly name: string; readonly conversions: number }[];
  readonly users: Readonly<Record<string, number>>;
}

/** How a test calls a tool. */
type Call = (tool: string, input: object) => Promise<unknown>;

const types = {
  impressions: 'impression',
  clicks: 'click',
  dismissals: 'dismiss',
  held: 'held',
  custom: 'custom',
  actions: 'action',
  completions: 'completion',
} as const;

const userFigures = {
  saw: 'impression',
  clicked: 'click',
  acted: 'action',
  completed: 'completion',
} as const;

/** @throws when Python is missing: nothing would be recounted. */
async function recounted(lines: string, goals: readonly Goal[]): Promise<Recount> {
  if (python === null) throw new Error('python3 is missing on this machine: nothing was recounted');
  const file = join(temporaryDirectory('recount'), 'goals.json');
  // As list-cta-goals returns them, which is what docs/measuring.md says to give it.
  await Bun.write(file, JSON.stringify({ goals }));
  const program = join(root, 'modules', 'cta', 'events', 'recount.py');
  const child = Bun.spawn([python, program, file], {
    stdin: new Blob([lines]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [text, wrong] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`recount.py: ${wrong}`);
  return JSON.parse(text) as Recount;
}

/** The figures that are not 0, by the keys of recount.py. */
function figuresOf(
  { items }: Metrics,
  { by, part, ctaId }: { readonly by: string; readonly part: string; readonly ctaId: string },
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const item of items)
    for (const [figure, type] of Object.entries(types)) {
      const value = part === 'none' ? 'None' : (item[part] ?? 'None');
      const key = `${by} ${part} ${ctaId} ${item.at ?? 0} ${value} ${type}`;
      if (item[figure] !== 0) found.set(key, Number(item[figure]));
    }
  return found;
}

/** Every figure of these CTAs that the tools and the recount of the export know differently, one sentence each. */
export async function recountDifferences(
  lines: string,
  call: Call,
  ctaIds: readonly string[],
): Promise<readonly string[]> {
  const goals: Goal[] = [];
  for (const ctaId of ctaIds) {
    const listed = (await call('list-cta-goals', { ctaId })) as { goals: Omit<Goal, 'ctaId'>[] };
    goals.push(...listed.goals.map(({ name, on, windowHours }) => ({ ctaId, name, on, windowHours })));
  }
  const recount = await recounted(lines, goals);
  const wrong: string[] = [];
  const same = (what: string, told: number, counted: number) => {
    if (told !== counted) wrong.push(`${what}: the tool says ${told}, the export ${counted}`);
  };
  for (const ctaId of ctaIds) {
    for (const by of ['hour', 'day', 'total'])
      for (const part of ['none', 'version', 'variant', 'source']) {
        const breakdown = part === 'none' ? {} : { breakdown: part };
        const told = figuresOf((await call('get-cta-metrics', { ctaId, by, ...breakdown })) as Metrics, {
          by,
          part,
          ctaId,
        });
        const counted = Object.entries(recount.figures).filter(
          ([key]) => key.startsWith(`${by} ${part} ${ctaId} `) && !key.endsWith(' conversion'),
        );
        for (const [key, count] of counted) same(key, told.get(key) ?? 0, count);
        for (const [key, count] of told) if (!(key in recount.figures)) same(key, count, 0);
      }
    const { users, goals: reached } = (await call('get-cta-metrics', { ctaId })) as Metrics;
    for (const [figure, type] of Object.entries(userFigures))
      same(`users ${ctaId} ${figure}`, users[figure] ?? 0, recount.users[`${ctaId} ${type}`] ?? 0);
    for (const { name, conversions } of reached)
      same(`goal ${ctaId} ${name}`, conversions, recount.conversions[`${ctaId} ${name}`] ?? 0);
    const { states } = (await call('get-cta-funnel', { ctaId })) as {
      states: readonly { state: string; ever: number }[];
    };
    for (const { state, ever } of states)
      same(`ever ${ctaId} ${state}`, ever, recount.ever[`${ctaId} ${state}`] ?? 0);
  }
  return wrong;
}
