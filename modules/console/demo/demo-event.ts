import type { DemoStage } from '../../../core/module/module.ts';

export const hour = 3_600_000;
export const day = 24 * hour;

/** Something that happens at a time of the example (epoch ms). */
export interface DemoEvent {
  readonly at: number;
  readonly what: string;
  readonly run: (stage: DemoStage) => Promise<unknown>;
}

/** The number in an answer. @throws Error when there is none. */
export function numberIn(answer: Readonly<Record<string, unknown>>, name: string): number {
  const value = answer[name];
  if (typeof value !== 'number') throw new Error(`the answer has no number "${name}"`);
  return value;
}
