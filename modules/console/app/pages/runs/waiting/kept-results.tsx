import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../api/queries.ts';
import { countText } from '../../../design/amount.ts';
import { Button } from '../../../design/button.tsx';
import { Alert } from '../../../design/states.tsx';
import { wordOf } from '../../../design/status.tsx';
import { say } from '../../../design/toast.tsx';
import type { WaitingResult } from './result-outbox.ts';
import { t } from '../../../texts/text.ts';

/*
 * Results that a run did not take, e.g. because somebody locked or deleted it while this person was offline. They stay in the browser, are
 * named, and are sent when the run takes results again.
 */

interface KeptResult<E extends WaitingResult = WaitingResult> {
  readonly entry: E;
  /** Of the test, as far as it was known. */
  readonly name: string;
  readonly reason: unknown;
}

export function useKeptResults<E extends WaitingResult>() {
  const [kept, setKept] = useState<ReadonlyArray<KeptResult<E>>>([]);
  const keep = (one: KeptResult<E>) => {
    // On a telephone a test may be the whole screen.
    if (kept.length === 0)
      say(
        t('Your results are kept in this browser: {reason}', { reason: messageOf(one.reason) }),
        undefined,
        'kept',
      );
    setKept((all) => [...all.filter(({ entry }) => entry.id !== one.entry.id), one]);
  };
  const take = (): readonly E[] => {
    setKept([]);
    return kept.map(({ entry }) => entry);
  };
  return { kept, keep, take };
}

interface KeptResultsProps {
  readonly kept: readonly KeptResult[];
  /** The tests that the page has by now: after a reload the refusal may come before them. */
  readonly rows: ReadonlyMap<number, { readonly testName: string }>;
  /** Whether the run takes results, as far as the page knows. */
  readonly isOpen: boolean;
  readonly onSend: () => void;
  readonly onDrop: () => void;
}

/** Names them, and sends them when the run is open again. */
export function KeptResults({ kept, rows, isOpen, onSend, onDrop }: KeptResultsProps) {
  const send = useRef(onSend);
  send.current = onSend;
  // What was refused while the run was deleted waits for it, too.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isOpen && !wasOpen.current) send.current();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const [first] = kept;
  if (!first) return null;
  return (
    <Alert kind="warning">
      <p>
        {t('Not stored: {results} of yours. {reason}', {
          results: countText(kept.length, 'result'),
          reason: messageOf(first.reason),
        })}
      </p>
      <p>
        {t(
          'They stay in this browser, and are stored when the run takes results again and you have it open.',
        )}
      </p>
      <ul>
        {kept.map(({ name, entry: { id, testId, status, said } }) => (
          <li key={id} className="wrap">
            {[
              rows.get(testId)?.testName ?? name,
              wordOf(status),
              ...(said.comment === undefined ? [] : [said.comment]),
            ].join(', ')}
          </li>
        ))}
      </ul>
      <div className="row">
        <Button small onPress={onSend}>
          {t('Try again')}
        </Button>
        <Button small onPress={onDrop}>
          {t('Discard them')}
        </Button>
      </div>
    </Alert>
  );
}
