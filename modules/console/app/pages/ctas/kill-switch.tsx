import { useState, type ReactNode } from 'react';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { countText, numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice } from '../../design/fields.tsx';
import { Icon } from '../../design/marks/icon.tsx';
import { Alert } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface Switch {
  /** null: all CTAs of the tenant. */
  readonly tag: string | null;
  readonly killed: boolean;
}

const whatOf = (tag: string | null, tenantId: string): string =>
  tag === null
    ? t('all CTAs of tenant {tenantId}', { tenantId })
    : t('the CTAs under the behaviour tag {tag}', { tag });

/** What is hidden at the moment, with the way to show it again. */
export function KillSwitches({ tenantId }: { readonly tenantId: string }) {
  const switches = useTool('get-cta-kill-switches', { tenantId });
  const mayPublish = useMay('admin');
  const [shown, setShown] = useState<Switch | null>(null);
  if (!switches.data) return null;
  const { killedAt, behaviourTags } = switches.data;
  const hidden = [
    ...(killedAt === null ? [] : [{ tag: null, at: killedAt }]),
    ...behaviourTags.map(({ behaviourTagName, killedAt: at }) => ({ tag: behaviourTagName, at })),
  ];
  return (
    <>
      {hidden.map(({ tag, at }) => (
        <Alert key={tag ?? ''} kind="error">
          <div className="between">
            <span>
              {nodes('Apps get none of {tag}: the kill switch was turned on {time}.', {
                tag: whatOf(tag, tenantId),
                time: <Time at={at} />,
              })}
            </span>
            {mayPublish && (
              <Button small onPress={() => setShown({ tag, killed: false })}>
                {nodes('Show {ctas} again', {
                  ctas: tag === null ? t('all CTAs') : t('CTAs under {tag}', { tag }),
                })}
              </Button>
            )}
          </div>
        </Alert>
      ))}
      {shown && <KillDialog tenantId={tenantId} change={shown} onClose={() => setShown(null)} />}
    </>
  );
}

interface KillDialogProps {
  readonly tenantId: string;
  readonly change: Switch;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Asks before the switch is turned on or off. */
export function KillDialog({ tenantId, change, onClose, children }: KillDialogProps) {
  const { tag, killed } = change;
  const set = useChange('set-cta-kill-switch');
  const what = whatOf(tag, tenantId);
  return (
    <ActionDialog
      title={killed ? t('Hide {what}?', { what }) : t('Show {what} again?', { what })}
      action={killed ? t('Hide CTAs') : t('Show CTAs')}
      kind={killed ? 'danger' : 'primary'}
      onClose={onClose}
      onConfirm={async () => {
        await set.mutateAsync({ tenantId, killed, ...(tag === null ? {} : { behaviourTagName: tag }) });
        say(killed ? t('Apps get none of {what} now.', { what }) : t('Apps get {what} again.', { what }));
      }}
    >
      {children}
      <LiveCtas tenantId={tenantId} tag={tag} />
      <p>
        {killed
          ? t(
              'Apps get none of them from their next launch on. The state of their users is kept, and no status changes.',
            )
          : t('Apps get those that are live again with their next launch.')}
      </p>
    </ActionDialog>
  );
}

/** How many are named; the others are counted. */
const mostNamed = 5;

/** Names the live CTAs that the switch hides or shows: nobody knows by heart what is under a behaviour tag. */
function LiveCtas({ tenantId, tag }: { readonly tenantId: string; readonly tag: string | null }) {
  const of = tag === null ? {} : { behaviourTagName: tag };
  const live = useTool('list-ctas', { tenantId, status: 'LIVE', limit: mostNamed, ...of });
  if (live.error) return <p className="field-error">{messageOf(live.error)}</p>;
  if (!live.data) return <p className="note">{t('Counting the live CTAs…')}</p>;
  const { ctas, total } = live.data;
  const more = total - ctas.length;
  return (
    <p role="status">
      {total === 0
        ? t('None of them is live now.')
        : t('{count} live now: {names}', {
            count: countText(total, 'CTA is', 'CTAs are'),
            names: [
              ...ctas.map(({ name }) => name),
              ...(more > 0 ? [t('and {count} more', { count: numberText(more) })] : []),
            ].join(', '),
          })}
    </p>
  );
}

interface KillButtonProps {
  readonly tenantId: string;
  /** The behaviour tag that is proposed; null: all CTAs of the tenant. */
  readonly tag?: string | null;
}

/** The way to the kill switch, in sight wherever CTAs are: whoever needs it has no time to look for it. */
export function KillButton({ tenantId, tag = null }: KillButtonProps) {
  const mayPublish = useMay('admin');
  const [isOpen, setOpen] = useState(false);
  if (!mayPublish) return null;
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <Icon of="kill" size={14} />
        {t('Kill switch…')}
      </Button>
      {isOpen && <ChooseKill tenantId={tenantId} tag={tag} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ChooseKillProps {
  readonly tenantId: string;
  readonly tag: string | null;
  readonly onClose: () => void;
}

/** Turns a switch on: for the tenant, or for one behaviour tag. */
function ChooseKill({ tenantId, tag, onClose }: ChooseKillProps) {
  const tags = useTool('list-behaviour-tags', { tenantId, limit: 500 });
  const [scope, setScope] = useState(tag ?? '');
  return (
    <KillDialog
      tenantId={tenantId}
      change={{ tag: scope === '' ? null : scope, killed: true }}
      onClose={onClose}
    >
      <Choice
        label={t('Which CTAs')}
        options={[
          { id: '', name: t('All of tenant {tenantId}', { tenantId }) },
          ...(tags.data?.behaviourTags ?? []).map(({ behaviourTagName }) => ({
            id: behaviourTagName,
            name: t('Under the behaviour tag {behaviourTagName}', { behaviourTagName }),
          })),
        ]}
        value={scope}
        onChange={setScope}
      />
    </KillDialog>
  );
}
