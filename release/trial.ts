/** One trial of a release, or the reason why it was omitted. */
export interface Trial {
  readonly what: string;
  readonly outcome: 'works' | 'not run' | 'not tried' | 'FAILS';
  readonly note: string;
}

/** A statement about something without starting it. */
export class NotRun {
  readonly note: string;
  constructor(note: string) {
    this.note = note;
  }
}

/** The reason why something cannot be tried here. */
export class CannotTry extends Error {}

/** @throws CannotTry when a program is missing. */
export function requirePrograms(programs: Readonly<Record<string, string>>): void {
  const missing = Object.keys(programs).filter((program) => !Bun.which(program));
  if (missing.length > 0)
    throw new CannotTry(
      `${missing.join(', ')} missing (Debian: apt-get install ${missing.map((program) => programs[program]).join(' ')})`,
    );
}

/** @throws CannotTry for any user other than root, because only root may enter another root folder. */
export function requireRoot(): void {
  if (process.getuid?.() !== 0) throw new CannotTry('only root can');
}

/** The program that runs an executable of an architecture (`x64`, `arm64`) here: empty for our own. @throws CannotTry. */
export function emulatorFor(cpu: string): readonly string[] {
  if (cpu === process.arch) return [];
  const emulator = cpu === 'arm64' ? 'qemu-aarch64-static' : 'qemu-x86_64-static';
  requirePrograms({ [emulator]: 'qemu-user-static' });
  return [emulator];
}

export const howBy = ([emulator]: readonly string[]): string =>
  emulator === undefined ? '' : `; by ${emulator}`;

/** @param run returns a summary. */
export async function tried(what: string, run: () => Promise<string | NotRun>): Promise<Trial> {
  try {
    const seen = await run();
    return typeof seen === 'string'
      ? { what, outcome: 'works', note: seen }
      : { what, outcome: 'not run', note: seen.note };
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    return { what, outcome: error instanceof CannotTry ? 'not tried' : 'FAILS', note };
  }
}

export const tableOf = (trials: readonly Trial[]): string =>
  trials.map(({ what, outcome, note }) => `${outcome.padEnd(9)}  ${what.padEnd(34)} ${note}\n`).join('');
