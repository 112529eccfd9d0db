import { useState } from 'react';
import { Link } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { usePeople } from '../../api/people.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Answer } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { viaText } from '../../api/operation-words.ts';
import { Difference } from './difference.tsx';
import { titleOfField } from '../../api/parameter-words.ts';
import { useUndo } from './test-undo.ts';
import { inSentence, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Version = Output<'list-test-versions'>['versions'][number];

interface TestVersionsProps {
  readonly projectId: number;
  readonly testId: number;
  /** Of the test as the page shows it. */
  readonly updatedAt: string;
  readonly mayWrite: boolean;
}

/** What a test was, the newest version first, and what each changed. */
export function TestVersions({ projectId, testId, updatedAt, mayWrite }: TestVersionsProps) {
  const [limit, setLimit] = useState(20);
  const versions = useTool('list-test-versions', { testId, limit }, { keep: true });
  const [open, setOpen] = useState<number | null>(null);
  const { nameOf } = usePeople();
  const revert = useChange('revert-test');
  const { undoButton } = useUndo(projectId);
  const goBack = async (version: number) => {
    const newest = versions.data?.versions[0]?.version;
    try {
      const now = await revert.mutateAsync({ testId, version, seenAt: updatedAt });
      // It was so already: Undo would take back the write before.
      const isSame = 'version' in now && now.version === newest;
      say(t('The test is as in version {version}.', { version }), isSame ? undefined : undoButton());
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Answer of={versions}>
      {({ versions: all, nextOffset }) => (
        <ol className="entries versions">
          {all.map((one, nth) => (
            <li key={one.version} value={one.version}>
              <p>
                <strong>{one.userId === null ? t('Somebody') : nameOf(one.userId)}</strong>
                {viaText(one.client)} {whatOf(one)} <Time at={one.at} />
              </p>
              {one.review !== null && (
                <p className="note">
                  {nodes('{link} of {authorId}{client}', {
                    link: (
                      <Link href={`/projects/${projectId}/reviews/${one.review.reviewId}`}>
                        {nodes('Proposal {reviewId}', { reviewId: one.review.reviewId })}
                      </Link>
                    ),
                    authorId: nameOf(one.review.authorId),
                    client: viaText(one.review.client),
                  })}
                </p>
              )}
              <div className="row">
                {one.version > 1 && (
                  <Button
                    small
                    aria-expanded={open === one.version}
                    aria-label={t('What changed in version {version}', { version: one.version })}
                    onPress={() => setOpen(open === one.version ? null : one.version)}
                  >
                    {t('What changed')}
                  </Button>
                )}
                {mayWrite && nth > 0 && (
                  <Button
                    small
                    aria-label={t('Go back to this: version {version}', { version: one.version })}
                    onPress={() => void goBack(one.version)}
                  >
                    {t('Go back to this')}
                  </Button>
                )}
              </div>
              {open === one.version && <Changes testId={testId} to={one.version} />}
            </li>
          ))}
          {nextOffset !== undefined && limit < 500 && (
            <Button onPress={() => setLimit(Math.min(500, limit + 50))}>{t('Show more')}</Button>
          )}
        </ol>
      )}
    </Answer>
  );
}

/** What a version changed, in words. */
function whatOf({ version, changed }: Version): string {
  if (changed === null || changed.length === 0)
    return version > 1 ? t('changed the test') : t('created the test');
  return t('changed {changed}', {
    changed: changed.map((field) => inSentence(titleOfField(field))).join(', '),
  });
}

/** A version beside the one before it. */
function Changes({ testId, to }: { readonly testId: number; readonly to: number }) {
  const difference = useTool('compare-test-versions', { testId, from: to - 1, to });
  return (
    <Answer of={difference}>{({ fields, steps }) => <Difference fields={fields} steps={steps} />}</Answer>
  );
}
