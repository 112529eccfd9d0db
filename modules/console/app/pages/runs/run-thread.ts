import type { Output } from '../../api/calls.ts';

type Result = Output<'get-test-status-history-in-run'>['history'][number];
type Reported = Pick<Output<'get-run-results'>['results'][number], 'attempts'>;

/**
 * The results of a test that say something, the newest first.
 * @param reported what a pipeline reported: its messages stand there already, and a long stack is not shown twice.
 */
export function spokenResults(
  history: readonly Result[],
  reported: readonly Reported[],
): ReadonlyArray<Result & { readonly comment: string }> {
  const messages = new Set(
    reported.flatMap(({ attempts = [] }) => attempts.flatMap(({ message }) => message?.trim() ?? [])),
  );
  return history.flatMap((result) => {
    const comment = result.comment?.trim() ?? '';
    const isSpoken = comment !== '' && !messages.has(comment);
    return isSpoken || result.stepResults !== undefined || result.fields !== undefined
      ? [{ ...result, comment: isSpoken ? comment : '' }]
      : [];
  });
}
