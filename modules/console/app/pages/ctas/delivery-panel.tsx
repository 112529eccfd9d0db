import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Answer } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { CreateHoldout, LimitsDialog } from './delivery-dialogs.tsx';
import { limitTexts } from './delivery-words.ts';
import { plannedText } from '../experiments/experiment-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Holdout = Output<'list-holdouts'>['holdouts'][number];
type Opened = 'limits' | 'holdout' | { readonly end: Holdout } | null;

interface TenantProps {
  readonly tenantId: string;
}

/** What holds for all CTAs of a tenant: the limits across them, and the users who get none. */
export function DeliveryPanel({ tenantId }: TenantProps) {
  const limits = useTool('get-delivery-limits', { tenantId });
  const holdouts = useTool('list-holdouts', { tenantId, limit: 100 });
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  if (limits.data === undefined || holdouts.data === undefined) return null;
  const { global } = limits.data;
  const texts = limitTexts(global);
  const count = holdouts.data.holdouts.length;
  return (
    <section aria-label={t('Delivery')}>
      <details className="card">
        <summary>
          <strong>{t('Delivery')}</strong>{' '}
          <span className="note">
            {texts.length === 0 ? t('no limits across CTAs') : texts.join(', ')} ·{' '}
            {count === 0 ? t('no holdout') : countText(count, 'holdout')}
          </span>
        </summary>
        <div className="stack loose delivery-parts">
          <Limits texts={texts} onChange={() => setOpened('limits')} />
          <Answer of={holdouts}>
            {(data) => (
              <Holdouts
                of={data.holdouts}
                onCreate={() => setOpened('holdout')}
                onEnd={(end) => setOpened({ end })}
              />
            )}
          </Answer>
        </div>
      </details>
      {opened === 'limits' && <LimitsDialog tenantId={tenantId} limits={global} onClose={close} />}
      {opened === 'holdout' && <CreateHoldout tenantId={tenantId} onClose={close} />}
      {opened !== null && typeof opened === 'object' && <EndHoldout of={opened.end} onClose={close} />}
    </section>
  );
}

function Limits({ texts, onChange }: { readonly texts: readonly string[]; readonly onChange: () => void }) {
  const mayPublish = useMay('admin');
  return (
    <section className="stack tight" aria-label={t('Limits across all CTAs')}>
      <div className="between">
        <h2>{t('Limits across all CTAs')}</h2>
        {mayPublish && <Button onPress={onChange}>{t('Change limits…')}</Button>}
      </div>
      {texts.length === 0 ? (
        <p className="note">
          {t(
            'None: each CTA has only its own limits. A limit here counts what a user got of all CTAs together.',
          )}
        </p>
      ) : (
        <ul className="delivery-limits">
          {texts.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface HoldoutsProps {
  readonly of: readonly Holdout[];
  readonly onCreate: () => void;
  readonly onEnd: (holdout: Holdout) => void;
}

function Holdouts({ of, onCreate, onEnd }: HoldoutsProps) {
  const mayPublish = useMay('admin');
  return (
    <section className="stack tight" aria-label={t('Users who get no CTA')}>
      <div className="between">
        <h2>{t('Holdouts')}</h2>
        {mayPublish && <Button onPress={onCreate}>{t('Create holdout…')}</Button>}
      </div>
      {of.length === 0 ? (
        <p className="note">
          {t(
            'None. A holdout is a small share of all users, always the same ones, who get no CTA: compared with them, the others show what CTAs achieve as a whole.',
          )}
        </p>
      ) : (
        <Table
          label={t('Holdouts')}
          rows={of}
          keyOf={({ name }) => name}
          columns={[
            { title: t('Holdout'), cell: ({ name }) => name },
            { title: t('Users'), isNumber: true, cell: ({ percentage }) => plannedText(percentage / 100) },
            {
              title: t('Get none of'),
              cell: ({ scope }) => (scope === 'tenant' ? t('all CTAs') : t('CTAs whose experiment names it')),
            },
            { title: t('Seed'), cell: ({ seed }) => <code>{seed}</code> },
            { title: t('Since'), cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              title: t('Actions'),
              hideTitle: true,
              cell: (holdout) =>
                mayPublish && (
                  <Button small onPress={() => onEnd(holdout)}>
                    {nodes('Delete {name}…', { name: holdout.name })}
                  </Button>
                ),
            },
          ]}
        />
      )}
    </section>
  );
}

function EndHoldout({
  of: { tenantId, name },
  onClose,
}: {
  readonly of: Holdout;
  readonly onClose: () => void;
}) {
  const remove = useChange('delete-holdout');
  return (
    <ActionDialog
      title={t('Delete the holdout {name}?', { name })}
      action={t('Delete holdout')}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ tenantId, name });
        say(t('The holdout {name} was deleted.', { name }));
      }}
    >
      <p>
        {t(
          'Its users get CTAs from their next launch on. It cannot be resumed: from then on they are users like all others.',
        )}
      </p>
    </ActionDialog>
  );
}
