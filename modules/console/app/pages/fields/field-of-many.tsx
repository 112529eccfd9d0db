import { useState } from 'react';
import type { FieldValue } from '../../../../testmgmt/rules/field-value.ts';
import { countText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import type { ProjectField } from './field-dialog.tsx';
import { FieldInputs, type OwnValues } from './field-inputs.tsx';
import { valuesToSend } from './field-words.ts';
import { t } from '../../texts/text.ts';

interface FieldOfManyProps {
  readonly projectId: number;
  readonly field: ProjectField;
  /** The tests that get the value. */
  readonly count: number;
  readonly onClose: () => void;
  /** Stores the value; what it throws is shown beside what was typed. */
  readonly onSet: (values: OwnValues) => Promise<void>;
}

/** Sets an own field of several tests, or clears it. */
export function FieldOfMany({ projectId, field, count, onClose, onSet }: FieldOfManyProps) {
  const [value, setValue] = useState<FieldValue | null>(null);
  const tests = countText(count, 'test');
  return (
    <ActionDialog
      title={t('Set {name}', { name: field.name })}
      action={value === null ? t('Clear it for {tests}', { tests }) : t('Set it for {tests}', { tests })}
      kind={value === null ? 'danger' : 'primary'}
      onClose={onClose}
      onConfirm={() => onSet(valuesToSend([field], { [field.key]: value }))}
    >
      <FieldInputs
        projectId={projectId}
        fields={[field]}
        values={{ [field.key]: value }}
        onChange={(_, next) => setValue(next)}
      />
    </ActionDialog>
  );
}
