import { useLocation } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { MilestoneChoice } from './milestone-choice.tsx';
import { PeopleChoice } from './people-choice.tsx';
import {
  newEntry,
  planInput,
  withGroups,
  type Combinations,
  type EntryDraft,
  type PlanDraft,
} from './plan-draft.ts';
import { PlanPreview, usePlanPreview } from './plan-preview.tsx';
import { t } from '../../texts/text.ts';

type Group = Output<'get-configuration-groups'>['groups'][number];

/** The entries that the server takes. */
const mostEntries = 50;

interface CreatePlanProps {
  readonly projectId: number;
  readonly groups: readonly Group[];
  readonly onClose: () => void;
}

/** A plan: which tests, in which configurations, for whom; with the runs that it would have, as one types. */
export function CreatePlan({ projectId, groups, onClose }: CreatePlanProps) {
  const [, navigate] = useLocation();
  const groupIds = groups.map(({ groupId }) => groupId);
  const form = useTyped(`new-plan:${projectId}`, (): PlanDraft => ({
    name: '',
    description: '',
    milestone: '',
    dueOn: '',
    entries: [newEntry(groupIds)],
  }));
  const { milestone } = form.typed;
  // A group that somebody deleted is offered nowhere, so nobody could take it out of what was typed before.
  const entries = form.typed.entries.map((entry) => withGroups(entry, groupIds));
  const create = useChange('create-plan');
  const input = planInput(projectId, { ...form.typed, entries });
  const { preview, error } = usePlanPreview(input);
  const change = (at: number, part: Partial<EntryDraft>) =>
    form.type({ entries: entries.map((entry, one) => (one === at ? { ...entry, ...part } : entry)) });
  return (
    <ActionDialog
      title={t('Create plan')}
      action={
        preview
          ? t('Create plan of {runs}', { runs: countText(preview.runs.length, 'run') })
          : t('Create plan')
      }
      form={form}
      wide
      onClose={onClose}
      isDisabled={form.typed.name.trim() === '' || !preview}
      onConfirm={async () => {
        const { plan } = await create.mutateAsync(input);
        if (plan) navigate(`/projects/${projectId}/plans/${plan.planId}`);
      }}
    >
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
      <Field label={t('Description')} {...form.field('description')} lines={2} maxLength={20_000} />
      <div className="row">
        <MilestoneChoice
          projectId={projectId}
          value={milestone}
          onChange={(one) => form.type({ milestone: one })}
        />
        <Field label={t('Last day')} {...form.field('dueOn')} type="date" />
      </div>
      {entries.map((entry, at) => (
        <EntryForm
          key={at}
          projectId={projectId}
          groups={groups}
          entry={entry}
          title={entries.length === 1 ? t('Tests') : t('Tests, part {at}', { at: at + 1 })}
          onChange={(part) => change(at, part)}
          onRemove={
            entries.length === 1
              ? undefined
              : () => form.type({ entries: entries.filter((_, one) => one !== at) })
          }
        />
      ))}
      <Button
        small
        isDisabled={entries.length >= mostEntries}
        onPress={() => form.type({ entries: [...entries, newEntry(groupIds)] })}
      >
        {t('Add other tests')}
      </Button>
      <PlanPreview preview={preview} error={error} />
    </ActionDialog>
  );
}

const combinations: ReadonlyArray<{ readonly id: Combinations; readonly name: string }> = [
  { id: 'none', name: t('One run, without configurations') },
  { id: 'all', name: t('Every combination') },
  { id: 'pairwise', name: t('Few that contain every pair') },
];

interface EntryFormProps {
  readonly projectId: number;
  readonly groups: readonly Group[];
  readonly entry: EntryDraft;
  readonly title: string;
  readonly onChange: (part: Partial<EntryDraft>) => void;
  /** Undefined: it is the only one. */
  readonly onRemove: (() => void) | undefined;
}

function EntryForm({ projectId, groups, entry, title, onChange, onRemove }: EntryFormProps) {
  const chosen = new Set(entry.groupIds);
  return (
    <div className="stack tight" role="group" aria-label={title}>
      <div className="row nowrap">
        <h3 className="grow">{title}</h3>
        {onRemove && <IconButton icon="close" label={t('Remove {title}', { title })} onPress={onRemove} />}
      </div>
      {onRemove && (
        <Field
          label={t('Name of its runs')}
          value={entry.runName}
          onChange={(runName) => onChange({ runName })}
          placeholder={t('As the plan')}
          maxLength={255}
        />
      )}
      <QueryBox
        tool="get-tests"
        label={t('{title}: a query; all without one', { title })}
        value={entry.query}
        onApply={(query) => onChange({ query })}
        isLive
      />
      {groups.length > 0 && (
        <Choice
          label={t('Runs')}
          options={combinations}
          value={entry.combinations}
          onChange={(id) => onChange({ combinations: id as Combinations })}
        />
      )}
      {entry.combinations !== 'none' &&
        groups.map(({ groupId, name, values }) => (
          <Check
            key={groupId}
            isSelected={chosen.has(groupId)}
            onChange={(isChosen) =>
              onChange({
                groupIds: isChosen
                  ? [...entry.groupIds, groupId]
                  : entry.groupIds.filter((id) => id !== groupId),
              })
            }
          >
            {name}: {values.map((value) => value.name).join(', ')}
          </Check>
        ))}
      <span className="label">{t('For whom (the tests of each run are divided among them)')}</span>
      <PeopleChoice
        projectId={projectId}
        label={t('Assign to')}
        chosen={entry.assignTo}
        onChange={(assignTo) => onChange({ assignTo })}
      />
    </div>
  );
}
