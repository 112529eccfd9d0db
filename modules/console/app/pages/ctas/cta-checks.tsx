import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { Check, Field } from '../../design/fields.tsx';
import { Pager } from '../../design/pager.tsx';
import { Answer } from '../../design/states.tsx';
import { CtaStatusText } from './cta-status.tsx';
import { t } from '../../texts/text.ts';

type CtaSummary = Output<'list-ctas'>['ctas'][number];

interface CtaChecksProps {
  readonly label: string;
  readonly tenantId: string;
  readonly behaviourTagName?: string | undefined;
  readonly isChosen: (cta: CtaSummary) => boolean;
  readonly onChange: (cta: CtaSummary, chosen: boolean) => void;
  readonly isDisabled?: (cta: CtaSummary) => boolean;
}

const limit = 20;

/** CTAs of a tenant to choose from, some at a time. */
export function CtaChecks({
  label,
  tenantId,
  behaviourTagName,
  isChosen,
  onChange,
  isDisabled,
}: CtaChecksProps) {
  const [search, setSearch] = useState('');
  const [offset, setOffset] = useState(0);
  const list = useTool(
    'list-ctas',
    {
      tenantId,
      limit,
      offset,
      ...(search.trim() !== '' && { search }),
      ...(behaviourTagName !== undefined && { behaviourTagName }),
    },
    { keep: true },
  );
  return (
    <div className="cta-checks stack" role="group" aria-label={label}>
      <Field
        label={t('{label}: search', { label })}
        value={search}
        onChange={(text) => {
          setSearch(text);
          setOffset(0);
        }}
        maxLength={255}
      />
      <Answer of={list}>
        {({ ctas, total }) => (
          <>
            <ul className="cta-check-list">
              {ctas.map((cta) => (
                <li key={cta.ctaId}>
                  <Check
                    isSelected={isChosen(cta)}
                    onChange={(chosen) => onChange(cta, chosen)}
                    isDisabled={isDisabled?.(cta) ?? false}
                  >
                    <span className="wrap">
                      {cta.name} <span className="note">#{cta.ctaId}</span>
                    </span>{' '}
                    <CtaStatusText of={cta.status} />
                    {cta.behaviourTagName !== null && <span className="badge">{cta.behaviourTagName}</span>}
                  </Check>
                </li>
              ))}
            </ul>
            {total === 0 && <p className="note">{t('No CTA is found.')}</p>}
            <Pager total={total} limit={limit} offset={offset} of={['CTA', 'CTAs']} onOffset={setOffset} />
          </>
        )}
      </Answer>
    </div>
  );
}
