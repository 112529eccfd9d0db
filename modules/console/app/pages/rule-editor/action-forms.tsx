import { useState } from 'react';
import { actionTypes, typesWithTemplate } from '../../../../cta/rules/rule-words.ts';
import { Button } from '../../design/button.tsx';
import { Field } from '../../design/fields.tsx';
import { isSame } from './cta-document.ts';
import { ChoiceAt, CommitField, NumberAt, useEditing } from './editing.tsx';
import { Section } from './form-section.tsx';
import { listOf, objectOf, pathText, valueAt, type Path } from './json-path.ts';
import { useRule } from './machine-forms.tsx';
import { PhoneFrame } from './phone-frame.tsx';
import { renameAction } from './rule-edits.ts';
import { t } from '../../texts/text.ts';

/** What the app can show or do. */
export function Actions() {
  const { change } = useEditing();
  const { rule, setRule, isReadOnly, faultAt } = useRule();
  const actions = listOf(rule['actions']);
  return (
    <Section title={t('Actions')}>
      {actions.map((action, index) => (
        <div key={index} className="card stack">
          <div className="columns">
            <CommitField
              label={t('Action')}
              value={String(objectOf(action)['actionId'] ?? '')}
              onCommit={(text) => setRule(renameAction(rule, index, text))}
              isReadOnly={isReadOnly}
              error={faultAt(`rule.actions[${index}].actionId`) ?? faultAt(`rule.actions[${index}]`)}
            />
            <ChoiceAt
              path={['rule', 'actions', index, 'type']}
              label={t('Type')}
              options={actionTypes.map((id) => ({ id, name: id }))}
            />
            <NumberAt
              path={['rule', 'actions', index, 'config', 'triggerDelay']}
              label={t('Delay')}
              note={t('Milliseconds; empty: none.')}
            />
          </div>
          <TemplateField
            path={['rule', 'actions', index, 'template']}
            type={String(objectOf(action)['type'])}
          />
          {!isReadOnly && (
            <div className="row">
              <Button small onPress={() => change(['rule', 'actions', index], undefined)}>
                {t('Remove action {action}', { action: String(objectOf(action)['actionId'] ?? '') })}
              </Button>
            </div>
          )}
        </div>
      ))}
      {!isReadOnly && (
        <Button
          onPress={() =>
            change(['rule', 'actions', actions.length], {
              actionId: `action-${actions.length + 1}`,
              type: 'TOOLTIP',
              template: { text: '' },
            })
          }
        >
          {t('Add action')}
        </Button>
      )}
    </Section>
  );
}

interface TemplateFieldProps {
  readonly path: Path;
  readonly type: string;
  readonly label?: string;
}

/** The template of an action: JSON, or any text. */
export function TemplateField({ path, type, label = t('Template') }: TemplateFieldProps) {
  const { doc, change, isReadOnly, faultAt } = useEditing();
  const value = valueAt(doc, path);
  const [typed, setTyped] = useState('');
  const stored =
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  // The typed text stays, with its spaces, as long as it is equivalent to the stored value.
  const shown = isSame(templateOf(typed), value) ? typed : stored;
  const looksLikeJson = typeof value === 'string' && /^\s*[[{]/.test(value);
  const [isDrawn, setDrawn] = useState(false);
  return (
    <div className="stack">
      <Field
        label={label}
        lines={Math.min(12, Math.max(3, shown.split('\n').length))}
        value={shown}
        onChange={(text) => {
          setTyped(text);
          change(path, templateOf(text));
        }}
        isReadOnly={isReadOnly}
        error={faultAt(pathText(path))}
        note={
          looksLikeJson
            ? t('This is no JSON yet: apps would get it as a text.')
            : typesWithTemplate.includes(type)
              ? t('What your app draws: JSON or a text. An action of this type needs it.')
              : t('What your app draws: JSON or a text.')
        }
      />
      <div className="row">
        <Button small aria-expanded={isDrawn} onPress={() => setDrawn(!isDrawn)}>
          {isDrawn ? t('Hide the phone') : t('Show in a phone')}
        </Button>
      </div>
      {isDrawn && <PhoneFrame template={value} />}
    </div>
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
