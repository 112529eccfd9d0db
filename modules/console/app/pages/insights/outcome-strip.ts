import { wordOf, type TestStatus } from '../../design/status.tsx';
import { t } from '../../texts/text.ts';

const statusOf: Readonly<Record<string, TestStatus>> = { p: 'passed', f: 'failed', b: 'blocked' };

/** The outcomes of a test as `get-flaky-tests` writes them, e.g. `pFf`: the newest first, a capital is a flip. */
export const outcomesOf = (text: string): ReadonlyArray<{ status: TestStatus; title: string }> =>
  [...text].flatMap((letter) => {
    const status = statusOf[letter.toLowerCase()];
    if (status === undefined) return [];
    return [
      {
        status,
        title:
          letter === letter.toLowerCase()
            ? wordOf(status).toLowerCase()
            : t('{status}, changed', { status: wordOf(status).toLowerCase() }),
      },
    ];
  });
