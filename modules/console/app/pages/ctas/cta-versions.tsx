import { useState } from 'react';
import { Link } from 'wouter';
import { isEditable } from '../../../../cta/rules/lifecycle.ts';
import type { Output } from '../../api/calls.ts';
import { titleOfField } from '../../api/parameter-words.ts';
import { useNames } from '../../api/people.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice } from '../../design/fields.tsx';
import { Listing } from '../../design/listing.tsx';
import { Alert, Answer } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useAddress } from '../../frame/router.tsx';
import { documentOf, textOf } from '../rule-editor/cta-document.ts';
import { DiffView } from './diff-view.tsx';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface CtaVersionsProps {
  readonly cta: Output<'get-cta'>;
  /** Changes that are not saved: they are another version than all of these. */
  readonly isDirty: boolean;
}

/** Every edit of a CTA, the difference of any two, and the way back. */
export function CtaVersions({ cta, isDirty }: CtaVersionsProps) {
  const [, change] = useAddress();
  const { page, pager } = usePaging();
  const versions = useTool('list-cta-versions', { ctaId: cta.ctaId, ...page }, { keep: true });
  const nameOf = useNames();
  const mayWrite = useMay('member') && isEditable(cta.status);
  const [to, setTo] = useState<number | null>(null);
  return (
    <div className="stack">
      {isDirty && (
        <Alert kind="info">{t('Your changes are not saved: they are in none of these versions.')}</Alert>
      )}
      <Listing
        of={versions}
        label={t('Versions')}
        rowsOf={(answer) => answer.versions}
        keyOf={({ version }) => version}
        columns={[
          { title: t('Version'), isNumber: true, cell: ({ version }) => version },
          { title: t('When'), cell: ({ at }) => <Time at={at} /> },
          { title: t('Who'), cell: ({ by }) => nameOf(by) },
          { title: t('What changed'), cell: (row) => <Changed ctaId={cta.ctaId} row={row} /> },
          {
            title: t('Actions'),
            hideTitle: true,
            cell: ({ version }) => (
              <div className="row nowrap">
                {version > 1 && (
                  <Button
                    small
                    aria-label={t('Compare version {version} with the one before', { version })}
                    onPress={() => change({ diff: String(version), against: null })}
                  >
                    {t('Compare')}
                  </Button>
                )}
                {mayWrite && version !== cta.version && (
                  <Button
                    small
                    aria-label={t('Revert to version {version}', { version })}
                    onPress={() => setTo(version)}
                  >
                    {t('Revert')}
                  </Button>
                )}
              </div>
            ),
          },
        ]}
        names={noun('version')}
        pager={pager}
        empty={null}
      />
      {versions.data && <Compared ctaId={cta.ctaId} total={versions.data.total} />}
      {to !== null && <Revert cta={cta} to={to} onClose={() => setTo(null)} />}
    </div>
  );
}

interface ChangedProps {
  readonly ctaId: string;
  readonly row: Output<'list-cta-versions'>['versions'][number];
}

const Changed = ({ ctaId, row: { version, changed, copiedFrom } }: ChangedProps) => (
  <>
    {version === 1 ? t('Created') : changed.map(titleOfField).join(', ') || t('Nothing')}
    {copiedFrom !== null && ' · '}
    {copiedFrom !== null &&
      (copiedFrom.ctaId === ctaId ? (
        <span className="note">{nodes('back to version {version}', { version: copiedFrom.version })}</span>
      ) : (
        <span className="note">
          {nodes('from version {version} of {link}', {
            version: copiedFrom.version,
            link: (
              <Link href={`/ctas/${copiedFrom.ctaId}`}>
                {nodes('CTA {ctaId}', { ctaId: copiedFrom.ctaId })}
              </Link>
            ),
          })}
        </span>
      ))}
  </>
);

/** The difference of two versions, which the address names. @param total of the versions. */
function Compared({ ctaId, total }: { readonly ctaId: string; readonly total: number }) {
  const [address, change] = useAddress();
  const shown = Number(address.get('diff')) || null;
  if (shown === null) return null;
  const against = Number(address.get('against')) || Math.max(1, shown - 1);
  return (
    <section className="stack" aria-label={t('Difference')}>
      <div className="row">
        <h2>{nodes('Version {shown} against version {against}', { shown, against })}</h2>
        <Choice
          label={t('Compare with')}
          hideLabel
          options={Array.from({ length: Math.min(total, 500) }, (_, index) => ({
            id: String(total - index),
            name: t('Version {total}', { total: total - index }),
          }))}
          value={String(against)}
          onChange={(id) => change({ against: id })}
        />
        <Button small kind="quiet" onPress={() => change({ diff: null, against: null })}>
          {t('Close the difference')}
        </Button>
      </div>
      <Difference ctaId={ctaId} before={against} after={shown} />
    </section>
  );
}

interface DifferenceProps {
  readonly ctaId: string;
  readonly before: number;
  readonly after: number;
}

function Difference({ ctaId, before, after }: DifferenceProps) {
  const [one, other] = [
    useTool('get-cta', { ctaId, version: before }),
    useTool('get-cta', { ctaId, version: after }),
  ];
  return (
    <Answer of={one}>
      {(old) => (
        <Answer of={other}>
          {(young) => (
            <DiffView
              label={t('Version {before} against version {after}', { before, after })}
              before={textOf(documentOf(old))}
              after={textOf(documentOf(young))}
            />
          )}
        </Answer>
      )}
    </Answer>
  );
}

interface RevertProps {
  readonly cta: Output<'get-cta'>;
  readonly to: number;
  readonly onClose: () => void;
}

function Revert({ cta: { ctaId, version }, to, onClose }: RevertProps) {
  const revert = useChange('revert-cta');
  return (
    <ActionDialog
      title={t('Revert to version {to}?', { to })}
      action={t('Revert')}
      wide
      onClose={onClose}
      onConfirm={async () => {
        const saved = await revert.mutateAsync({ ctaId, version, toVersion: to });
        say(t('Version {version} has the fields of version {to}.', { version: saved.version, to }));
      }}
    >
      <p>
        {nodes(
          'It makes a new version with the fields of version {to}; those in between stay. This changes the CTA so:',
          { to },
        )}
      </p>
      <Difference ctaId={ctaId} before={version} after={to} />
    </ActionDialog>
  );
}
