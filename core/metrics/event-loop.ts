import { coreMetrics } from './core-metrics.ts';
import type { Recorder } from './recorder.ts';

/** How often the event loop is asked. A block of 100 ms is met for certain, one of 10 ms every fifth time. */
const everyMs = 50;

/** Observes by how much a timer is late. @returns a function that ends it. */
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
