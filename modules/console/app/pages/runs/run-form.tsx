import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText, numberText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { MilestoneChoice } from '../planning/milestone-choice.tsx';
import { everyTest } from '../../query/query-text.ts';
import { nextRunName } from './run-name.ts';
import { t } from '../../texts/text.ts';

/** A run that is repeated, and which of its tests. */
interface RepeatedRun {
  readonly run: Output<'run-detail'>;
  readonly tests: 'all' | 'failed';
}

interface CreateRunProps {
  readonly projectId: number;
  readonly repeats?: RepeatedRun;
  readonly onClose: () => void;
}

const nothing = { name: '', description: '', query: '', milestone: '', dueOn: '' };

/** What stands in the form for a run that repeats another one, without the last day of that. */
const repeating = ({ run, tests }: RepeatedRun): typeof nothing => ({
  ...nothing,
  name: nextRunName(run.runName),
  description: run.runDescription,
  query: `${tests === 'all' ? 'in-run' : 'failed-in'}:${run.runId}`,
  milestone: run.milestoneId ? String(run.milestoneId) : '',
});

/** How long nothing is typed before the tests are counted. */
const pauseMs = 200;

/** A run of the tests that a query chooses, with the count and the first of them as one types. */
export function CreateRun({ projectId, repeats, onClose }: CreateRunProps) {
  const [, navigate] = useLocation();
  const form = useTyped(
    repeats ? `repeat-run:${repeats.run.runId}:${repeats.tests}` : `new-run:${projectId}:query`,
    () => (repeats ? repeating(repeats) : nothing),
  );
  const { name, description, query, milestone, dueOn } = form.typed;
  const create = useChange('create-run-from-query');
  const chosen = query === '' ? everyTest : query;

  const [asked, setAsked] = useState(chosen);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(chosen), pauseMs);
    return () => clearTimeout(timer);
  }, [chosen]);
  const input = { projectId, query: asked, runName: 'preview', dryRun: true };
  const counted = useTool('create-run-from-query', input);
  // The run uses the current text of the box, never an earlier one.
  const now = asked === chosen ? counted : undefined;
  const preview = now?.data;

  return (
    <ActionDialog
      title={t('Create run')}
      action={
        preview ? t('Create run of {tests}', { tests: countText(preview.count, 'test') }) : t('Create run')
      }
      form={form}
      onClose={onClose}
      isDisabled={name.trim() === '' || !preview || preview.count === 0}
      onConfirm={async () => {
        const { run } = await create.mutateAsync({
          projectId,
          query: chosen,
          runName: name,
          ...(description.trim() === '' ? {} : { runDescription: description }),
          ...(milestone === '' ? {} : { milestoneId: Number(milestone) }),
          ...(dueOn === '' ? {} : { dueOn }),
        });
        if (run) navigate(`/projects/${projectId}/runs/${run.runId}`);
      }}
    >
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
      <Field label={t('Description')} {...form.field('description')} lines={2} maxLength={20_000} />
      <WhenFields projectId={projectId} when={form.typed} onChange={form.type} />
      <div className="field">
        <span className="label">{t('Tests: all of the project, or those that a query chooses')}</span>
        <QueryBox
          tool="get-tests"
          label={t('Tests of the run')}
          value={query}
          onApply={(text) => form.type({ query: text })}
          isLive
          error={now?.error ? messageOf(now.error) : undefined}
        />
      </div>
      {preview && (
        <div className="stack tight" role="status">
          <strong>{countText(preview.count, 'test')}</strong>
          <ul>
            {preview.first.slice(0, 5).map(({ testId, testName }) => (
              <li key={testId} className="cut">
                {testName}
              </li>
            ))}
          </ul>
          {preview.count > 5 && (
            <span className="note">{t('and {count} more', { count: numberText(preview.count - 5) })}</span>
          )}
        </div>
      )}
    </ActionDialog>
  );
}

/** For what and by when a run is; empty: nothing. */
interface When {
  readonly milestone: string;
  readonly dueOn: string;
}

interface WhenFieldsProps {
  readonly projectId: number;
  readonly when: When;
  readonly onChange: (part: Partial<When>) => void;
}

/** The milestone and the last day of a run. */
const WhenFields = ({ projectId, when: { milestone, dueOn }, onChange }: WhenFieldsProps) => (
  <div className="row">
    <MilestoneChoice
      projectId={projectId}
      value={milestone}
      onChange={(one) => onChange({ milestone: one })}
    />
    <Field label={t('Last day')} value={dueOn} onChange={(one) => onChange({ dueOn: one })} type="date" />
  </div>
);

interface EditRunProps {
  readonly run: Output<'run-detail'>;
  readonly onClose: () => void;
}

/** What a run is called and for what and by when it is. */
export function EditRun({ run, onClose }: EditRunProps) {
  const { projectId, runId } = run;
  const form = useTyped(`run:${runId}`, () => ({
    name: run.runName,
    description: run.runDescription,
    milestone: run.milestoneId ? String(run.milestoneId) : '',
    dueOn: run.dueOn ?? '',
  }));
  const edit = useChange('edit-run');
  const { base, typed } = form;
  const { name, description, milestone, dueOn } = typed;
  return (
    <ActionDialog
      title={t('Edit the run')}
      action={t('Save run')}
      form={form}
      onClose={onClose}
      isDisabled={name.trim() === '' || !form.isDirty}
      onConfirm={() =>
        // Only what this person changed: somebody else may have changed the rest meanwhile.
        edit.mutateAsync({
          projectId,
          runId,
          ...(name !== base.name && { runName: name }),
          ...(description !== base.description && {
            runDescription: description.trim() === '' ? null : description,
          }),
          ...(milestone !== base.milestone && { milestoneId: milestone === '' ? null : Number(milestone) }),
          ...(dueOn !== base.dueOn && { dueOn: dueOn === '' ? null : dueOn }),
        })
      }
    >
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
      <Field label={t('Description')} {...form.field('description')} lines={2} maxLength={20_000} />
      <WhenFields projectId={projectId} when={form.typed} onChange={form.type} />
    </ActionDialog>
  );
}
