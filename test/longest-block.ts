/**
 * The longest time for which the event loop served nothing else while `work` ran, in milliseconds. Processor time only: the time of other
 * programs and the disk does not count, and a test cannot wait for an idle machine.
 */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  // Garbage of earlier work is collected before, not during the measurement.
  Bun.gc(true);
  await new Promise((resolve) => setTimeout(resolve, 20));
  let longest = 0;
  let last = performance.now();
  let usage = process.cpuUsage();
  let watching = true;
  const look = () => {
    const now = performance.now();
    const used = process.cpuUsage(usage);
    longest = Math.max(longest, Math.min(now - last, (used.user + used.system) / 1_000));
    last = now;
    usage = process.cpuUsage();
  };
  const watch = () => {
    look();
    if (watching) setImmediate(watch);
  };
  setImmediate(watch);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  watching = false;
  look();
  return longest;
}
