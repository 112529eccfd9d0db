import { useRef, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { Key } from '../../design/marks/key.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { FieldInputs, useProjectFields, type OwnValues } from '../fields/field-inputs.tsx';
import { valuesToSend } from '../fields/field-words.ts';
import { PastedNames } from './steps/pasted-names.tsx';
import { pastedNames } from './steps/pasted-rows.ts';
import { useUndo } from '../versions/test-undo.ts';
import { useProposal } from '../reviews/use-proposal.ts';
import { t } from '../../texts/text.ts';

interface QuickCreateProps {
  readonly projectId: number;
  readonly sectionId: number | null;
}

/** Why several names at once are refused: each test has a value of its own. */
const manyNeed = (needed: ReadonlyArray<{ readonly name: string }>): string =>
  t(
    'Every test of this project needs "{needed}". Paste one name at a time, or import a table with that column.',
    {
      needed: needed.map(({ name }) => name).join('", "'),
    },
  );

/** One line for a new test: type, press Enter, type the next. */
export function QuickCreate({ projectId, sectionId }: QuickCreateProps) {
  const { typed, type } = useTyped(`new-test:${projectId}`, () => ({ name: '', own: {} as OwnValues }));
  const { name, own } = typed;
  // Only they stand here. Their values stay for the next test.
  const needed = useProjectFields(projectId, 'test').filter(({ required }) => required);
  const input = useRef<HTMLInputElement>(null);
  const create = useChange('create-test');
  const { undoButton } = useUndo(projectId);
  const proposing = useProposal(projectId);
  const [many, setMany] = useState<readonly string[]>([]);
  const submit = async () => {
    const testName = name.trim();
    if (testName === '') return;
    type({ name: '' });
    try {
      const fields = {
        testName,
        ...(sectionId === null ? {} : { sectionId }),
        ...(needed.length > 0 && { fields: valuesToSend(needed, own) }),
      };
      if (proposing.isNeeded) await proposing.propose({ set: fields });
      else {
        await create.mutateAsync({ projectId, ...fields });
        say(t('Created {testName}', { testName }), undoButton());
      }
    } catch (error) {
      // Text typed in the meantime takes precedence over the failed one.
      if (input.current?.value === '') type({ name: testName });
      sayError(error);
    }
    input.current?.focus();
  };
  return (
    <form
      className="stack tight screen-only"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className="row nowrap">
        <div className="grow with-key">
          <input
            id="new-test"
            ref={input}
            className="input"
            aria-label={t('Name of a new test')}
            placeholder={
              sectionId === null
                ? t('New test: type a name, Enter')
                : t('New test in this section: type a name, Enter')
            }
            value={name}
            maxLength={255}
            onChange={(event) => type({ name: event.target.value })}
            onPaste={(event) => {
              const names = pastedNames(event.clipboardData.getData('text/plain'));
              if (names === null) return;
              event.preventDefault();
              if (needed.length === 0) setMany(names);
              else sayError(new Error(manyNeed(needed)));
            }}
          />
          {name === '' && <Key of="c" />}
        </div>
        <Button type="submit" isDisabled={name.trim() === ''}>
          {proposing.isNeeded ? t('Propose test') : t('Create test')}
        </Button>
      </div>
      {needed.length > 0 && (
        <div className="row">
          <FieldInputs
            projectId={projectId}
            fields={needed}
            values={own}
            onChange={(key, value) => type({ own: { ...own, [key]: value } })}
          />
        </div>
      )}
      {many.length > 0 && (
        <PastedNames {...{ projectId, sectionId }} names={many} onClose={() => setMany([])} />
      )}
    </form>
  );
}
