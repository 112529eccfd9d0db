import { cleanEnvironment, type Executable, type Finished } from '../executable.ts';

export interface Transferred extends Finished {
  readonly ms: number;
  /** The peak memory of the process. */
  readonly megabytes: number;
  readonly killed: boolean;
}

/** Runs a transfer to its end, or kills it (SIGKILL) after a time. */
export async function transferOnce(
  { command }: Executable,
  from: string,
  to: string,
  killAfterMs = Number.POSITIVE_INFINITY,
): Promise<Transferred> {
  const since = performance.now();
  const child = Bun.spawn([...command, 'transfer', '--from', from, '--to', to, '--json'], {
    env: cleanEnvironment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const timer = Number.isFinite(killAfterMs)
    ? setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    : undefined;
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(timer);
  const megabytes = (child.resourceUsage()?.maxRSS ?? 0) / 1e6;
  const ms = performance.now() - since;
  return { stdout, stderr, exitCode, ms, megabytes, killed: child.signalCode === 'SIGKILL' };
}

/** Kills a transfer at these moments and lets the last one finish. @returns the last one, and how many were killed. */
export async function transferWithKills(
  executable: Executable,
  from: string,
  to: string,
  kills: number,
  moment: (kill: number) => number,
): Promise<{ readonly last: Transferred; readonly killed: number }> {
  for (let kill = 0; kill < kills; kill++) {
    const last = await transferOnce(executable, from, to, moment(kill));
    if (!last.killed) return { last, killed: kill };
  }
  return { last: await transferOnce(executable, from, to), killed: kills };
}
