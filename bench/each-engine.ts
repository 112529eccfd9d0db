/**
 * Runs a bench once for each engine, in a process of its own, and ends this one. Does nothing in such a process: it knows its engine by
 * TRIVET_TEST_ENGINE.
 * @param path the file of the bench.
 */
export async function runOnEachEngine(path: string): Promise<void> {
  if (process.env['TRIVET_TEST_ENGINE'] !== undefined) return;
  let failed = false;
  for (const name of ['sqlite', 'postgres']) {
    const child = Bun.spawn([process.execPath, '--no-env-file', path], {
      env: { ...process.env, TRIVET_TEST_ENGINE: name },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    failed = (await child.exited) !== 0 || failed;
  }
  process.exit(failed ? 1 : 0);
}
