import { useState } from 'react';
import { Field } from '../../design/fields.tsx';
import { delayText, msOfDuration } from './delay-text.ts';
import { useAt } from './editing.tsx';
import type { Path } from './json-path.ts';
import { t } from '../../texts/text.ts';

interface DurationAtProps {
  readonly path: Path;
  readonly label: string;
  readonly note: string;
}

/** A duration in milliseconds, shown and typed with its units. */
export function DurationAt({ path, label, note }: DurationAtProps) {
  const { value, set, isReadOnly, error } = useAt(path);
  const [typed, setTyped] = useState<string | null>(null);
  const stored = typeof value === 'number' ? delayText(value) : String(value ?? '');
  // The typed text stays as long as it means what is stored.
  const isTyped =
    typed !== null && (msOfDuration(typed) === value || (typed.trim() === '' && value === undefined));
  const isOpen = typed !== null && typed.trim() !== '' && msOfDuration(typed) === undefined;
  return (
    <Field
      label={label}
      note={note}
      value={isTyped || isOpen ? typed : stored}
      onChange={(text) => {
        setTyped(text);
        const ms = msOfDuration(text);
        // Half a duration changes nothing yet.
        if (ms !== undefined || text.trim() === '') set(ms);
      }}
      onBlur={() => setTyped(null)}
      isReadOnly={isReadOnly}
      error={error ?? (isOpen ? t('Write a number and its unit, e.g. 2 h or 1 d 12 h.') : undefined)}
    />
  );
}
