import { coreMetrics } from './core-metrics.ts';
import type { Recorder } from './recorder.ts';

/** How often the event loop is sampled. A block of 100 ms is always detected, one of 10 ms every fifth time. */
const everyMs = 50;

/** Observes how late a timer fires. @returns a function that stops it. */
export function watchEventLoop(recorder: Recorder): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    recorder.observe(coreMetrics.eventLoopDelay, [], Math.max(0, now - last - everyMs) / 1000);
    last = now;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
