import { readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended and was not waited for yet (a zombie) does not; only Linux tells it apart. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // After the name, which may contain anything, in brackets.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') === false;
  } catch {
    return process.platform !== 'linux';
  }
}

/**
 * Waits for the end of a process that was told to. `exited` alone is not enough: among hundreds of processes that are killed, it was seen
 * never to be settled for one that had long ended (Bun 1.4).
 */
export async function childEnd({ pid, exited }: Pick<Bun.Subprocess, 'pid' | 'exited'>): Promise<void> {
  const state = { over: false };
  const gone = async () => {
    while (!state.over && isRunning(pid)) await Bun.sleep(200);
    // Usually the promise is settled by now, and the code of the process is known with it.
    if (!state.over) await Bun.sleep(500);
  };
  await Promise.race([exited, gone()]);
  state.over = true;
}
