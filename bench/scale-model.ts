import type { Compared } from './compare.ts';
import type { Costs } from './scale-cost.ts';

/** What one run of bench/scale.ts wrote to BENCH_OUT. */
export interface Measurement extends Costs {
  readonly measuredAt: string;
  readonly machine: {
    readonly cores: number;
    readonly model: string;
    readonly memoryGb: number;
    /** The load of one minute before it began. */
    readonly loadBefore: number;
  };
  readonly users: number;
  readonly connections: number;
  readonly compared: readonly Compared[];
}
