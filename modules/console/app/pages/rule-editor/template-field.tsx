import { useState } from 'react';
import { typesWithTemplate } from '../../../../cta/rules/rule-words.ts';
import { Field } from '../../design/fields.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { isSame } from './cta-document.ts';
import { useAt } from './editing.tsx';
import type { Path } from './json-path.ts';
import { PhoneFrame } from './phone-frame.tsx';
import { hasParts, templatePart, withPart, type TemplatePart } from './template-parts.ts';
import { t } from '../../texts/text.ts';

interface TemplateFieldProps {
  readonly path: Path;
  readonly type: string;
  readonly label?: string;
}

const parts: ReadonlyArray<{ readonly part: TemplatePart; readonly name: string; readonly note?: string }> = [
  { part: 'title', name: t('Title') },
  { part: 'text', name: t('Text') },
  { part: 'button', name: t('Button') },
  { part: 'image', name: t('Picture'), note: t('Its address.') },
];

/** The template of an action: its usual fields, or its JSON in a tab, beside a phone that shows it. */
export function TemplateField({ path, type, label = t('Template') }: TemplateFieldProps) {
  const { value, set, isReadOnly, error } = useAt(path);
  return (
    <div className="phone-beside">
      <Tabs
        label={label}
        tabs={[
          {
            id: 'fields',
            name: t('Fields'),
            content: hasParts(value) ? (
              <div className="stack">
                {parts.map(({ part, name, note }) => (
                  <Field
                    key={part}
                    label={name}
                    value={templatePart(value, part)}
                    onChange={(text) => set(withPart(value, part, text))}
                    isReadOnly={isReadOnly}
                    {...(part === 'text' && { lines: 3 })}
                    {...(note !== undefined && { note })}
                  />
                ))}
                {error !== undefined && <span className="field-error">{error}</span>}
              </div>
            ) : (
              <p className="note">{t('This template has no such fields. Edit it as JSON.')}</p>
            ),
          },
          { id: 'json', name: t('JSON'), content: <TemplateJson path={path} type={type} label={label} /> },
        ]}
      />
      <PhoneFrame template={value} />
    </div>
  );
}

/** The template as JSON, or any text. */
function TemplateJson({ path, type, label = t('Template') }: TemplateFieldProps) {
  const { value, set, isReadOnly, error } = useAt(path);
  const [typed, setTyped] = useState('');
  const stored =
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  // The typed text stays, with its spaces, as long as it is equivalent to the stored value.
  const shown = isSame(templateOf(typed), value) ? typed : stored;
  const looksLikeJson = typeof value === 'string' && /^\s*[[{]/.test(value);
  return (
    <Field
      label={label}
      lines={Math.min(12, Math.max(3, shown.split('\n').length))}
      value={shown}
      onChange={(text) => {
        setTyped(text);
        set(templateOf(text));
      }}
      isReadOnly={isReadOnly}
      error={error}
      note={
        looksLikeJson
          ? t('This is no JSON yet: apps would get it as a text.')
          : typesWithTemplate.includes(type)
            ? t('What your app draws: JSON or a text. An action of this type needs it.')
            : t('What your app draws: JSON or a text.')
      }
    />
  );
}

/** JSON if it is an object or a list, else the text as it is. */
function templateOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
