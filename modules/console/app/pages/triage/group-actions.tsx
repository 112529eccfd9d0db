import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { linkOf } from '../evidence/link-text.ts';
import { NewIssue } from '../evidence/links-panel.tsx';
import { QuarantineDialog } from '../evidence/quarantine.tsx';
import { queryOfGroup, type FailureGroup } from './failure-group.ts';
import { t } from '../../texts/text.ts';

interface GroupActionsProps {
  readonly projectId: number;
  readonly runId: number;
  readonly group: FailureGroup;
}

/** What is done about failures of one cause, for all of its tests at once. */
export function GroupActions({ projectId, runId, group }: GroupActionsProps) {
  const [asking, setAsking] = useState<'link' | 'quarantine' | null>(null);
  const what = countText(group.count, 'failing test');
  const add = useChange('add-links');
  const form = useTyped(`group-link:${runId}:${group.groupId ?? ''}`, () => ({ text: '' }));
  const link = linkOf('defect', form.typed.text);
  return (
    <div className="row">
      <Button small onPress={() => setAsking('link')}>
        {t('Link a defect…')}
      </Button>
      <Button small onPress={() => setAsking('quarantine')}>
        {t('Quarantine…')}
      </Button>
      <ActionDialog
        title={t('Link {what} to a defect', { what })}
        action={t('Link')}
        form={form}
        isOpen={asking === 'link'}
        onClose={() => setAsking(null)}
        isDisabled={!link}
        onConfirm={async () => {
          if (!link) return;
          const query = `status:failed ${queryOfGroup(group)}`;
          const { count } = await add.mutateAsync({ projectId, runId, query, links: [link] });
          say(t('{tests} linked.', { tests: countText(count, 'test') }));
        }}
      >
        <Field
          label={t('Key or address')}
          {...form.field('text')}
          autoFocus
          maxLength={2_000}
          placeholder="SHOP-77"
        />
        <NewIssue
          projectId={projectId}
          runId={runId}
          testName={group.first[0]?.testName ?? ''}
          message={group.message}
        />
      </ActionDialog>
      <QuarantineDialog
        projectId={projectId}
        of={{ query: `last:failed in-run:${runId} ${queryOfGroup(group)}` }}
        what={what}
        isOpen={asking === 'quarantine'}
        onClose={() => setAsking(null)}
      />
    </div>
  );
}
