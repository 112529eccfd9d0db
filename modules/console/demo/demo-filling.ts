import type { DemoStage } from '../../../core/module/module.ts';
import { demoChoice } from './demo-choice.ts';
import { marketingEvents } from './demo-ctas.ts';
import { day, type DemoEvent } from './demo-event.ts';
import { linkEvents } from './demo-links.ts';
import { addPeople } from './demo-people.ts';
import { planningEvents } from './demo-planning.ts';
import { projectEvents, type DemoWorld } from './demo-project.ts';
import { runEvents } from './demo-runs.ts';
import { demoTests } from './demo-tests.ts';

/** A quarter. */
const length = 13 * 7 * day;

/** A shop whose tests, runs and CTAs have the history of a quarter. It is the same in every database. */
export async function makeDemoShop(stage: DemoStage): Promise<void> {
  const { now, progress } = stage;
  const start = now - length;
  const tests = demoTests();
  const world: DemoWorld = { projectId: 0, ids: new Map() };
  stage.at(start);
  await addPeople(stage);
  const events: readonly DemoEvent[] = [
    ...projectEvents(tests, world, start),
    ...runEvents(tests, world, { start, now, choice: demoChoice(42) }),
    ...linkEvents(tests, world, { start, now }),
    ...planningEvents(tests, world, now),
    ...marketingEvents({ start, now, choice: demoChoice(1_000) }),
  ].toSorted((a, b) => a.at - b.at);
  for (const [index, { at, what, run }] of events.entries()) {
    stage.at(at);
    await run(stage);
    progress(index + 1, events.length, what);
  }
}
