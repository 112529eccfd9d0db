import { fail } from '../base/errors.ts';

/**
 * How far a client knows the changes of a run. Each change of a run has a later time than its predecessor (`changeTimeOf`), and changes are
 * found by that time.
 */
interface RunCursor {
  /** All changes up to this time are known. */
  readonly since: number;
  /** For a partial page: the time up to which changes are known when all pages are read, and the last test of the page. */
  readonly page?: { readonly upTo: number; readonly after: number };
}

const form = /^(\d{1,15})(?:\.(\d{1,15})\.(\d{1,16}))?$/;

/** @throws Fault INVALID_REQUEST. */
export function cursorOf(text: string): RunCursor {
  const [, since, upTo, after] = form.exec(text) ?? [];
  if (since === undefined)
    throw fail.INVALID_REQUEST('after is no cursor.', {
      cause: 'after',
      tip: 'Give the cursor of an earlier get-run-changes of this run, or leave it out for the present one.',
    });
  return {
    since: Number(since),
    ...(upTo === undefined ? {} : { page: { upTo: Number(upTo), after: Number(after) } }),
  };
}

export const cursorText = ({ since, page }: RunCursor): string =>
  page ? `${since}.${page.upTo}.${page.after}` : String(since);
