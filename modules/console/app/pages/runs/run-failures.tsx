import { useState } from 'react';
import { Link } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { Listing } from '../../design/listing.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Empty } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { usePaging } from '../../frame/paging.ts';
import { linkOf } from '../evidence/link-text.ts';
import { QuarantineDialog } from '../evidence/quarantine.tsx';
import { noun, t } from '../../texts/text.ts';

interface RunFailuresProps {
  readonly projectId: number;
  readonly runId: number;
  readonly mayWrite: boolean;
}

type Group = Output<'get-failure-groups'>['groups'][number];

const queryOf = ({ groupId }: Group): string => `group:${groupId ?? 'none'}`;

/** The failing tests of a run by message: what failed many tests is looked at once. */
export function RunFailures({ projectId, runId, mayWrite }: RunFailuresProps) {
  const { page, pager } = usePaging('groupOffset', 50);
  const groups = useTool('get-failure-groups', { projectId, runId, ...page }, { keep: true });
  const testsOf = (group: Group) =>
    `/projects/${projectId}/runs/${runId}?query=${encodeURIComponent(queryOf(group))}`;
  return (
    <Listing
      of={groups}
      label={t('Failures by message')}
      rowsOf={(answer) => answer.groups}
      keyOf={({ groupId }) => groupId ?? ''}
      columns={[
        {
          title: t('Tests'),
          isNumber: true,
          cell: (group) => <Link href={testsOf(group)}>{countText(group.count, 'test')}</Link>,
        },
        {
          title: t('Message'),
          cell: ({ message, first, count }) => (
            <div className="stack tight wrap">
              {message === null ? (
                <span className="note">{t('Without a message')}</span>
              ) : (
                <pre>{message}</pre>
              )}
              <span className="note">
                {first.map(({ testName }) => testName).join(', ')}
                {count > first.length ? ', …' : ''}
              </span>
            </div>
          ),
        },
        ...(mayWrite
          ? [
              {
                title: t('Actions'),
                hideTitle: true,
                cell: (group: Group) => <GroupActions projectId={projectId} runId={runId} group={group} />,
              },
            ]
          : []),
      ]}
      names={noun('group')}
      pager={pager}
      empty={
        <Empty title={t('Nothing failed')}>
          <p>{t('Failing tests of this run are grouped here by their messages.')}</p>
        </Empty>
      }
    />
  );
}

interface GroupActionsProps {
  readonly projectId: number;
  readonly runId: number;
  readonly group: Group;
}

function GroupActions({ projectId, runId, group }: GroupActionsProps) {
  const [asking, setAsking] = useState<'link' | 'quarantine' | null>(null);
  const what = countText(group.count, 'failing test');
  const add = useChange('add-links');
  const form = useTyped(`group-link:${runId}:${group.groupId ?? ''}`, () => ({ text: '' }));
  const link = linkOf('defect', form.typed.text);
  return (
    <div className="row nowrap">
      <Button small onPress={() => setAsking('link')}>
        {t('Link a defect…')}
      </Button>
      <ActionMenu
        small
        label={t('Actions for {what}', { what })}
        actions={[
          { id: 'quarantine', name: t('Put into quarantine…'), onAction: () => setAsking('quarantine') },
        ]}
      />
      <ActionDialog
        title={t('Link {what} to a defect', { what })}
        action={t('Link')}
        form={form}
        isOpen={asking === 'link'}
        onClose={() => setAsking(null)}
        isDisabled={!link}
        onConfirm={async () => {
          if (!link) return;
          const query = `status:failed ${queryOf(group)}`;
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
      </ActionDialog>
      <QuarantineDialog
        projectId={projectId}
        of={{ query: `last:failed in-run:${runId} ${queryOf(group)}` }}
        what={what}
        isOpen={asking === 'quarantine'}
        onClose={() => setAsking(null)}
      />
    </div>
  );
}
