import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Refusal } from '../../api/call.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Empty, Failure, Page } from '../../design/states.tsx';
import { sayError } from '../../design/toast.tsx';
import { t } from '../../texts/text.ts';

/** Whether a run cannot be read because it is deleted. */
export const isDeletedRun = (error: Error | null): boolean =>
  error instanceof Refusal && error.code === 'RUN_NOT_FOUND' && error.causeWord === 'deleted';

interface DeletedRunProps {
  readonly projectId: number;
  readonly runId: number;
  readonly mayWrite: boolean;
}

/** In place of a run that cannot be shown. */
export const RunFailure = ({
  of,
  ...run
}: DeletedRunProps & { readonly of: Pick<UseQueryResult, 'error' | 'refetch'> }) =>
  isDeletedRun(of.error) ? (
    <DeletedRun {...run} />
  ) : (
    <Page title={t('Run {runId}', { runId: run.runId })}>
      <Failure error={of.error} onRetry={() => void of.refetch()} />
    </Page>
  );

/** The way to have a deleted run back. */
function DeletedRun({ projectId, runId, mayWrite }: DeletedRunProps) {
  const restore = useChange('restore-run');
  return (
    <Page title={t('Run {runId}', { runId })}>
      <Empty title={t('This run is deleted')}>
        <p>{t('It comes back with its results.')}</p>
        <p>
          <Link href={`/projects/${projectId}/runs`}>{t('Runs')}</Link>
        </p>
        {mayWrite && (
          <Button
            isDisabled={restore.isPending}
            onPress={() => restore.mutate({ projectId, runId }, { onError: sayError })}
          >
            {t('Restore')}
          </Button>
        )}
      </Empty>
    </Page>
  );
}
