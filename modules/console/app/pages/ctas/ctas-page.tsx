import { useEffect, useState } from 'react';
import { SearchField, Input } from 'react-aria-components';
import { Link } from 'wouter';
import { ctaStatuses } from '../../../../cta/rules/lifecycle.ts';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Pager } from '../../design/pager.tsx';
import { Answer, Empty, Page } from '../../design/states.tsx';
import { Time, timeText } from '../../design/time.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useAddress } from '../../frame/router.tsx';
import { CreateCta } from './cta-create.tsx';
import { CtaStatusText } from './cta-status.tsx';
import { scheduleText, statusWords } from '../rule-editor/cta-words.ts';
import { ChooseKill, KillSwitches } from './kill-switch.tsx';
import { isNoTenant, NoTenant, TenantChooser, useTenant } from '../tenant/tenant.tsx';
import './ctas.css';

/** The CTAs of a tenant by status, with their schedule. */
export default function CtasPage() {
  const [tenantId] = useTenant();
  const [address, change] = useAddress();
  const mayWrite = useMay('member');
  const mayPublish = useMay('admin');
  const [dialog, setDialog] = useState<'create' | 'kill' | null>(null);
  const status = ctaStatuses.find((one) => one === address.get('status'));
  const [search, team, tag] = ['search', 'team', 'tag'].map((name) => address.get(name) ?? '');
  const { page, onOffset } = usePaging();
  const list = useTool(
    'list-ctas',
    {
      tenantId,
      ...page,
      ...(status && { status }),
      ...(search && { search }),
      ...(team && { team }),
      ...(tag && { tag }),
    },
    { keep: true },
  );
  const isMissing = isNoTenant(list.error);
  const counts = list.data?.counts;
  const isFiltered = [status, search, team, tag].some(Boolean);
  const create = (
    <Button kind="primary" onPress={() => setDialog('create')}>
      Create CTA
    </Button>
  );
  return (
    <Page
      title="Calls to action"
      actions={
        <>
          <TenantChooser />
          {mayWrite && !isMissing && create}
          {mayPublish && !isMissing && (
            <ActionMenu
              label="Actions for the tenant"
              text="More"
              actions={[{ id: 'kill', name: 'Kill switch…', onAction: () => setDialog('kill') }]}
            />
          )}
        </>
      }
    >
      {isMissing && !list.isFetching ? (
        <NoTenant />
      ) : (
        <>
          <KillSwitches tenantId={tenantId} />
          <div className="between">
            <nav className="row" aria-label="Status">
              <StatusFilter
                name="All"
                count={counts && Object.values(counts).reduce((sum, one) => sum + one, 0)}
                isChosen={!status}
                onChoose={() => change({ status: null, offset: null })}
              />
              {ctaStatuses.map((one) => (
                <StatusFilter
                  key={one}
                  name={statusWords[one].name}
                  count={counts?.[one]}
                  isChosen={status === one}
                  onChoose={() => change({ status: one, offset: null })}
                />
              ))}
            </nav>
            <Search value={search ?? ''} onApply={(text) => change({ search: text, offset: null })} />
          </div>
          {(team || tag) && (
            <div className="row">
              {team && (
                <Button small onPress={() => change({ team: null, offset: null })}>
                  Team {team} ✕
                </Button>
              )}
              {tag && (
                <Button small onPress={() => change({ tag: null, offset: null })}>
                  Tag {tag} ✕
                </Button>
              )}
            </div>
          )}
          <Answer of={list}>
            {({ ctas, total }) =>
              total === 0 ? (
                <Empty title={isFiltered ? 'No CTA is found' : 'No CTA yet'}>
                  <p>
                    {isFiltered
                      ? 'Change the search or choose another status.'
                      : 'A call to action is something that your app shows or does at the right moment: a popup, a tooltip, a banner.'}
                  </p>
                  {!isFiltered && mayWrite && create}
                </Empty>
              ) : (
                <>
                  <div className="table-frame">
                    <table className="table">
                      <thead>
                        <tr>
                          <th scope="col">CTA</th>
                          <th scope="col">Status</th>
                          <th scope="col">Schedule</th>
                          <th scope="col">Team</th>
                          <th scope="col">Tags</th>
                          <th scope="col">Changed</th>
                        </tr>
                      </thead>
                      <tbody>
                        {ctas.map((cta) => (
                          <tr key={cta.ctaId}>
                            <td className="cta-name">
                              <Link href={`/ctas/${cta.ctaId}`}>{cta.name}</Link>
                            </td>
                            <td>
                              <CtaStatusText of={cta.status} />
                            </td>
                            <td title={[cta.startTime, cta.endTime].map(wholeTime).join(' – ')}>
                              {scheduleText(cta, Date.now())}
                            </td>
                            <td>
                              {cta.team !== null && (
                                <Button
                                  small
                                  kind="quiet"
                                  onPress={() => change({ team: cta.team, offset: null })}
                                >
                                  {cta.team}
                                </Button>
                              )}
                            </td>
                            <td>
                              {cta.tags.map((one) => (
                                <Button
                                  key={one}
                                  small
                                  kind="quiet"
                                  onPress={() => change({ tag: one, offset: null })}
                                >
                                  {one}
                                </Button>
                              ))}
                            </td>
                            <td>
                              <Time at={cta.updatedAt} />
                            </td>
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                  <Pager total={total} {...page} of={['CTA', 'CTAs']} onOffset={onOffset} />
                </>
              )
            }
          </Answer>
        </>
      )}
      {dialog === 'create' && <CreateCta tenantId={tenantId} onClose={() => setDialog(null)} />}
      {dialog === 'kill' && <ChooseKill tenantId={tenantId} onClose={() => setDialog(null)} />}
    </Page>
  );
}

const wholeTime = (at: number | null): string => (at === null ? 'open' : timeText(at));

interface StatusFilterProps {
  readonly name: string;
  readonly count: number | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const StatusFilter = ({ name, count, isChosen, onChoose }: StatusFilterProps) => (
  <button type="button" className="cta-filter" aria-pressed={isChosen} onClick={onChoose}>
    {name} <span className="number">{count ?? '…'}</span>
  </button>
);

/** Searches while it is typed, a moment after the last key. */
function Search({ value, onApply }: { readonly value: string; readonly onApply: (text: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => onApply(text.trim()), 250);
    return () => clearTimeout(timer);
  }, [text, value, onApply]);
  return (
    <SearchField aria-label="Search CTAs" value={text} onChange={setText} className="cta-search">
      <Input className="input" placeholder="Search name and description" maxLength={255} />
    </SearchField>
  );
}
