import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { announce } from '../../design/announcer.tsx';
import { wordOf } from '../../design/status.tsx';
import { say } from '../../design/toast.tsx';
import { useAddress } from '../../frame/router.tsx';
import { statusOf, type RunTest, type RunTests } from './run-tests.ts';
import { t } from '../../texts/text.ts';

/** How long a test is selected before the address names it: somebody who holds j down changes it once. */
const settleMs = 300;
/** As in runs.css: where the list and the test are two screens. */
const narrow = '(max-width: 64rem)';

const isInPanel = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.run-panel') !== null;

interface Chosen {
  readonly chosen: number | null;
  /** Its place in the list; -1: it is not there. */
  readonly current: number;
  readonly isWhole: boolean;
}

/**
 * The row of the chosen test. One that somebody removes while this person types beside it stays until the focus leaves: without the field,
 * the letters would be commands for another test.
 */
function useShownRow(
  tests: RunTests,
  { chosen, current, isWhole }: Chosen,
  chooseFirst: (wasListed: boolean) => void,
) {
  const last = useRef<RunTest | undefined>(undefined);
  const latest = useRef(chooseFirst);
  latest.current = chooseFirst;
  const listed = chosen === null || current < 0 ? undefined : tests.rows.get(chosen);
  if (listed !== undefined) last.current = listed;
  useEffect(() => {
    if (current >= 0 || (chosen !== null && !isWhole)) return;
    const first = () => latest.current(last.current?.testId === chosen);
    if (chosen === null || !isInPanel(document.activeElement)) return first();
    const follow = ({ relatedTarget }: FocusEvent) => void (isInPanel(relatedTarget) || first());
    document.addEventListener('focusout', follow);
    return () => document.removeEventListener('focusout', follow);
  }, [tests.order, current, chosen, isWhole]);
  const isLeft = isWhole && current < 0 && last.current?.testId === chosen;
  return listed ?? (isLeft && isInPanel(document.activeElement) ? last.current : undefined);
}

/**
 * Which test of a run is selected: by its id, because others may add tests before it, and a key must never mean another test than the one
 * on the screen. It stands in the address.
 * @param total undefined: the list is on its way.
 */
export function useChosenTest(tests: RunTests, total: number | undefined) {
  const [address, change] = useAddress();
  const wanted = Number(address.get('test')) || null;
  const [chosen, setChosen] = useState<number | null>(wanted);
  const current = chosen === null ? -1 : tests.order.indexOf(chosen);
  const selected = current < 0 ? undefined : tests.order[current];
  const isOpen = address.get('panel') === '1';
  // A link names the test alone, whoever made it: here it is a screen of its own. A link to failures is about all of them.
  const isLinked = wanted !== null && !isOpen && !address.has('view');
  const written = useRef<number | null>(null);
  useLayoutEffect(() => {
    // By a link or by going back, not by the timer below.
    if (wanted === null || wanted === written.current) return;
    written.current = wanted;
    setChosen(wanted);
    if (isLinked && matchMedia(narrow).matches) change({ panel: '1' });
  }, [wanted, isLinked, change]);
  const isWhole = tests.order.length === total;
  const row = useShownRow(tests, { chosen, current, isWhole }, (wasListed) => {
    if (chosen !== null && !wasListed) say(t('This list does not have the test of the link.'));
    // Unless the failures, whose effects run first, have just chosen theirs.
    setChosen((now) => (now === chosen ? (tests.order[0] ?? null) : now));
    // On a telephone a status would go to another test than the one that was asked for.
    if (chosen !== null && isOpen) change({ panel: null, test: null });
  });
  // Of the layout: while the next page is loading, this one is only hidden, and its timer would lead back to it.
  useLayoutEffect(() => {
    if (selected === undefined || selected === wanted) return;
    // The list alone is on the screen: it does not say which test is meant, and the address of a list must not become that of a test.
    if (!isOpen && matchMedia(narrow).matches) return;
    const timer = setTimeout(() => {
      written.current = selected;
      change({ test: String(selected) });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [selected, wanted, isOpen, change]);

  const placeOf = (testId: number) =>
    t('{testId} of {order}', { testId: tests.order.indexOf(testId) + 1, order: tests.order.length });
  const nameOf = (testId: number) => tests.rows.get(testId)?.testName ?? '';
  const choose = (index: number) => setChosen(tests.order[index] ?? null);
  const open = (index: number) => {
    const testId = tests.order[index];
    if (testId !== undefined && matchMedia(narrow).matches)
      change({ test: String(testId), panel: '1' }, { push: true });
  };
  return {
    current,
    selected,
    row,
    placeOf,
    nameOf,
    choose,
    /** By its id; the list may be on its way. */
    chooseTest: setChosen,
    /** Another list begins with its first test. */
    chooseNone: () => setChosen(null),
    /** To the test at a place, which a screen reader hears. */
    go: (index: number) => {
      const testId = tests.order[index];
      if (testId === undefined) return;
      choose(index);
      announce(`${nameOf(testId)}, ${wordOf(statusOf(tests, testId)).toLowerCase()}, ${placeOf(testId)}`);
    },
    /** On a telephone the test is a screen of its own, and going back leads to the list. */
    isOpen,
    open,
    /** By its id. @returns whether the list has it. */
    show: (testId: number) => {
      const index = tests.order.indexOf(testId);
      if (index < 0) return false;
      choose(index);
      open(index);
      return true;
    },
    close: () => change({ panel: null, test: null }),
  };
}

export type ChosenTest = ReturnType<typeof useChosenTest>;
