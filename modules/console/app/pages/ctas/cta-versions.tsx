import { useState } from 'react';
import { Link } from 'wouter';
import { isEditable } from '../../../../cta/rules/lifecycle.ts';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice } from '../../design/fields.tsx';
import { Pager } from '../../design/pager.tsx';
import { Alert, Answer } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useAddress } from '../../frame/router.tsx';
import { documentOf, textOf } from '../rule-editor/cta-document.ts';
import { useNames } from './cta-people.ts';
import { DiffView } from './diff-view.tsx';

interface CtaVersionsProps {
  readonly cta: Output<'get-cta'>;
  /** Changes that are not saved: they are another version than all of these. */
  readonly isDirty: boolean;
}

/** Every edit of a CTA, the difference of any two, and the way back. */
export function CtaVersions({ cta, isDirty }: CtaVersionsProps) {
  const [address, change] = useAddress();
  const { page, onOffset } = usePaging();
  const versions = useTool('list-cta-versions', { ctaId: cta.ctaId, ...page }, { keep: true });
  const nameOf = useNames();
  const mayWrite = useMay('member') && isEditable(cta.status);
  const [to, setTo] = useState<number | null>(null);
  const shown = Number(address.get('diff')) || null;
  const against = Number(address.get('against')) || (shown === null ? null : Math.max(1, shown - 1));
  return (
    <Answer of={versions}>
      {({ versions: rows, total }) => (
        <div className="stack">
          {isDirty && (
            <Alert kind="info">Your changes are not saved: they are in none of these versions.</Alert>
          )}
          <div className="table-frame">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col" className="number">
                    Version
                  </th>
                  <th scope="col">When</th>
                  <th scope="col">Who</th>
                  <th scope="col">What changed</th>
                  <th scope="col">
                    <span className="hidden-visually">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ version, at, by, changed, copiedFrom }) => (
                  <tr key={version}>
                    <td className="number">{version}</td>
                    <td>
                      <Time at={at} />
                    </td>
                    <td>{nameOf(by)}</td>
                    <td>
                      {version === 1 ? 'Created' : changed.join(', ') || 'Nothing'}
                      {copiedFrom !== null &&
                        (copiedFrom.ctaId === cta.ctaId ? (
                          <span className="note"> back to version {copiedFrom.version}</span>
                        ) : (
                          <span className="note">
                            {' '}
                            from version {copiedFrom.version} of{' '}
                            <Link href={`/ctas/${copiedFrom.ctaId}`}>CTA {copiedFrom.ctaId}</Link>
                          </span>
                        ))}
                    </td>
                    <td>
                      <div className="row nowrap">
                        {version > 1 && (
                          <Button
                            small
                            aria-label={`Compare version ${version} with the one before`}
                            onPress={() => change({ diff: String(version), against: null })}
                          >
                            Compare
                          </Button>
                        )}
                        {mayWrite && version !== cta.version && (
                          <Button
                            small
                            aria-label={`Revert to version ${version}`}
                            onPress={() => setTo(version)}
                          >
                            Revert
                          </Button>
                        )}
                      </div>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Pager total={total} {...page} of={['version', 'versions']} onOffset={onOffset} />
          {shown !== null && against !== null && (
            <section className="stack" aria-label="Difference">
              <div className="row">
                <h2>
                  Version {shown} against version {against}
                </h2>
                <Choice
                  label="Compare with"
                  hideLabel
                  options={Array.from({ length: Math.min(total, 500) }, (_, index) => ({
                    id: String(total - index),
                    name: `Version ${total - index}`,
                  }))}
                  value={String(against)}
                  onChange={(id) => change({ against: id })}
                />
                <Button small kind="quiet" onPress={() => change({ diff: null, against: null })}>
                  Close the difference
                </Button>
              </div>
              <Difference ctaId={cta.ctaId} before={against} after={shown} />
            </section>
          )}
          {to !== null && <Revert cta={cta} to={to} onClose={() => setTo(null)} />}
        </div>
      )}
    </Answer>
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
              label={`Version ${before} against version ${after}`}
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
      title={`Revert to version ${to}?`}
      action="Revert"
      wide
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        const saved = await revert.mutateAsync({ ctaId, version, toVersion: to });
        say(`Version ${saved.version} has the fields of version ${to}.`);
      }}
    >
      <p>
        It makes a new version with the fields of version {to}; those in between stay. This changes the CTA
        so:
      </p>
      <Difference ctaId={ctaId} before={version} after={to} />
    </ActionDialog>
  );
}
