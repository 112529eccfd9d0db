import { useEffect, useState } from 'react';
import { Input as AriaInput, SearchField } from 'react-aria-components';
import { Link } from 'wouter';
import { ctaStatuses } from '../../../../cta/rules/lifecycle.ts';
import type { Input, Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/marks/icon.tsx';
import { Listing } from '../../design/listing.tsx';
import { Empty } from '../../design/states.tsx';
import type { TableColumn } from '../../design/table.tsx';
import { timeText } from '../../design/time.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useAddress, useNewDialog } from '../../frame/router.tsx';
import { CreateCta } from './cta-create.tsx';
import { CtaStatusText } from './cta-status.tsx';
import { Clicked, Converted, Eligible, UserFigure } from './list-figures.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { scheduleText, statusWords } from '../rule-editor/cta-words.ts';
import { KillButton, KillSwitches } from './kill-switch.tsx';
import { useTenant } from '../tenant/tenant.tsx';
import { TenantPage } from '../tenant/tenant-page.tsx';
import './ctas.css';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Cta = Output<'list-ctas'>['ctas'][number];

/** CTAs begin and end by the clock, and others change them. */
const everyMs = 5_000;

/** The CTAs of a tenant by status, with their schedule. */
export default function CtasPage() {
  const [tenantId] = useTenant();
  const [address, change] = useAddress();
  const mayWrite = useMay('member');
  const [isCreating, setCreating] = useNewDialog();
  const { page, pager } = usePaging();
  const asked = askedOf(address);
  const list = useTool('list-ctas', { tenantId, ...page, ...asked }, { keep: true, everyMs });
  const filter = (values: Readonly<Record<string, string | null>>) => change({ ...values, offset: null });
  const isFiltered = Object.keys(asked).length > 0;
  const create = (
    <Button kind="primary" onPress={() => setCreating(true)}>
      {t('Create CTA')}
    </Button>
  );
  return (
    <TenantPage
      title={t('Calls to action')}
      list={list}
      actions={
        <>
          {mayWrite && create}
          <KillButton tenantId={tenantId} />
        </>
      }
    >
      <KillSwitches tenantId={tenantId} />
      <DeliveryPanel tenantId={tenantId} />
      <Filters asked={asked} counts={list.data?.counts} onFilter={filter} />
      <Listing
        of={list}
        label={t('CTAs')}
        rowsOf={({ ctas }) => ctas}
        keyOf={({ ctaId }) => ctaId}
        columns={ctaColumns(filter, list.dataUpdatedAt)}
        names={noun('CTA')}
        pager={pager}
        empty={
          <Empty title={isFiltered ? t('No CTA is found') : t('No CTA yet')}>
            <p>
              {isFiltered
                ? t('Change the search or choose another status.')
                : t(
                    'A call to action is something that your app shows or does at the right moment: a popup, a tooltip, a banner.',
                  )}
            </p>
            {!isFiltered && mayWrite && create}
          </Empty>
        }
      />
      {isCreating && <CreateCta tenantId={tenantId} onClose={() => setCreating(false)} />}
    </TenantPage>
  );
}

type Asked = Pick<Input<'list-ctas'>, 'status' | 'search' | 'team' | 'tag'>;
type Filter = (values: Readonly<Record<string, string | null>>) => void;

/** What the address asks for. */
const askedOf = (address: URLSearchParams): Asked => {
  const status = ctaStatuses.find((one) => one === address.get('status'));
  const texts = ['search', 'team', 'tag'].flatMap((name) => {
    const text = address.get(name) ?? '';
    return text === '' ? [] : [[name, text]];
  });
  return { ...(status && { status }), ...Object.fromEntries(texts) };
};

const ctaColumns = (onFilter: Filter, now: number): ReadonlyArray<TableColumn<Cta>> => [
  {
    title: 'CTA',
    cell: ({ ctaId, name }) => (
      <div className="cta-name">
        <Link href={`/ctas/${ctaId}`}>{name}</Link>
      </div>
    ),
  },
  { title: t('Status'), cell: ({ status }) => <CtaStatusText of={status} /> },
  {
    title: t('Schedule##when'),
    cell: (cta) => (
      <span title={[cta.startTime, cta.endTime].map(wholeTime).join(' – ')}>
        {cta.startTime === null && cta.endTime === null ? '–' : scheduleText(cta, now)}
      </span>
    ),
  },
  { title: t('Eligible'), isNumber: true, cell: (cta) => <Eligible {...cta} /> },
  { title: t('Saw'), isNumber: true, cell: (cta) => <UserFigure {...cta} figure="saw" /> },
  { title: t('Clicked'), isNumber: true, cell: (cta) => <Clicked {...cta} /> },
  { title: t('Acted'), isNumber: true, cell: (cta) => <UserFigure {...cta} figure="acted" /> },
  { title: t('Converted'), isNumber: true, cell: (cta) => <Converted {...cta} /> },
  {
    title: t('Team and tags'),
    cell: ({ team, tags }) => (
      <div className="cta-tags">
        {team !== null && (
          <Button small kind="quiet" onPress={() => onFilter({ team })}>
            <span className="cut">{team}</span>
          </Button>
        )}
        {tags.map((tag) => (
          <Button key={tag} small kind="quiet" onPress={() => onFilter({ tag })}>
            <span className="cut">{tag}</span>
          </Button>
        ))}
      </div>
    ),
  },
];

const wholeTime = (at: number | null): string => (at === null ? t('open##end of a schedule') : timeText(at));

interface FiltersProps {
  readonly asked: Asked;
  readonly counts: Output<'list-ctas'>['counts'] | undefined;
  readonly onFilter: Filter;
}

/** The status that is shown, the search, and what else narrows the list. */
const Filters = ({ asked: { status, search, team, tag }, counts, onFilter }: FiltersProps) => (
  <>
    <div className="between">
      <nav className="row" aria-label={t('Status')}>
        <StatusFilter
          name={t('All')}
          count={counts && Object.values(counts).reduce((sum, one) => sum + one, 0)}
          isChosen={!status}
          onChoose={() => onFilter({ status: null })}
        />
        {ctaStatuses.map((one) => (
          <StatusFilter
            key={one}
            name={statusWords[one].name}
            count={counts?.[one]}
            isChosen={status === one}
            onChoose={() => onFilter({ status: one })}
          />
        ))}
      </nav>
      <Search value={search ?? ''} onApply={(text) => onFilter({ search: text })} />
    </div>
    {(team || tag) && (
      <div className="row">
        {team && (
          <Button small onPress={() => onFilter({ team: null })}>
            {nodes('Team {team}', { team })}
            <Icon of="close" size={12} />
          </Button>
        )}
        {tag && (
          <Button small onPress={() => onFilter({ tag: null })}>
            {nodes('Tag {tag}', { tag })}
            <Icon of="close" size={12} />
          </Button>
        )}
      </div>
    )}
  </>
);

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
    <SearchField aria-label={t('Search CTAs')} value={text} onChange={setText} className="cta-search">
      <AriaInput className="input" placeholder={t('Search name and description')} maxLength={255} />
    </SearchField>
  );
}
