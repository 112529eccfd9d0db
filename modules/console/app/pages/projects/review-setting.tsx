import { Label, Radio, RadioGroup } from 'react-aria-components';
import type { Input, Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { say, sayError } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { t } from '../../texts/text.ts';

type Project = Output<'get-project-detail'>;
type Mode = NonNullable<Input<'edit-project'>['review']>;

const modes: ReadonlyArray<readonly [Mode, name: string, does: string]> = [
  ['off', t('Nobody’s'), t('Every member changes tests at once; proposals are possible nevertheless.')],
  [
    'agents',
    t('Those of agents'),
    t('What comes over MCP becomes a proposal, which a person approves before it is written.'),
  ],
  [
    'all',
    t('Everybody’s'),
    t('Members propose changes, too, administrators included; only restoring and undoing need no review.'),
  ],
];

/** Whose changes of tests are approved by somebody else before they are written. */
export function ReviewSetting({ project }: { readonly project: Project }) {
  const { projectId, orgId, isActive, review } = project;
  const isAdmin = useMay('admin', orgId);
  const edit = useChange('edit-project');
  return (
    <section className="card stack" aria-label={t('Reviews')}>
      <h2>{t('Reviews')}</h2>
      <RadioGroup
        className="stack tight"
        value={review}
        isDisabled={!isAdmin || !isActive}
        onChange={(value) =>
          edit.mutate(
            { projectId, review: value as Mode },
            { onError: sayError, onSuccess: () => say(t('The setting was saved.')) },
          )
        }
      >
        <Label>{t('Whose changes of tests need a review')}</Label>
        {modes.map(([mode, name, does]) => (
          <Radio key={mode} value={mode} className="radio">
            <span className="radio-dot" aria-hidden="true" />
            <span>
              <strong>{name}</strong> <span className="note">{does}</span>
            </span>
          </Radio>
        ))}
      </RadioGroup>
      {!isAdmin && <p className="note">{t('Administrators of the organization change this.')}</p>}
    </section>
  );
}
