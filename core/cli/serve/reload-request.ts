import { existsSync, readFileSync, rmSync } from 'node:fs';
import { replaceFile } from '../../base/stored-file.ts';
import type { ReloadOutcome } from '../../settings/reload-plan.ts';

/*
 * How `trivet reload` asks a server: it writes a file beside that of the server's address, and the server writes the outcome beside it. A
 * signal would need the process id, which means nothing in another container, and has no answer.
 */

/** How often a server looks for a request. */
const lookEveryMs = 500;

const askedAt = (stem: string) => `${stem}.reload`;
const answeredAt = (stem: string) => `${stem}.reloaded`;

interface Answered {
  readonly id: string;
  readonly outcome: ReloadOutcome;
}

/** Answers the requests to a server. @returns a function that ends it. */
export function answerReloads(stem: string, reload: () => ReloadOutcome): () => void {
  const timer = setInterval(() => {
    if (!existsSync(askedAt(stem))) return;
    const id = readFileSync(askedAt(stem), 'utf8');
    rmSync(askedAt(stem), { force: true });
    const answered: Answered = { id, outcome: reload() };
    replaceFile(answeredAt(stem), JSON.stringify(answered));
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Asks a server, and waits for the outcome. @returns undefined if it does not answer in time. */
export async function askForReload(
  stem: string,
  id: string,
  patienceMs: number,
): Promise<ReloadOutcome | undefined> {
  replaceFile(askedAt(stem), id);
  for (const until = performance.now() + patienceMs; performance.now() < until; await Bun.sleep(50)) {
    const answered = answerIn(answeredAt(stem));
    if (answered?.id !== id) continue;
    rmSync(answeredAt(stem), { force: true });
    return answered.outcome;
  }
  rmSync(askedAt(stem), { force: true });
  return undefined;
}

function answerIn(path: string): Answered | undefined {
  if (!existsSync(path)) return undefined;
  return JSON.parse(readFileSync(path, 'utf8')) as Answered;
}
