import { actionTypes } from '../../../../cta/rules/rule-words.ts';
import { Button } from '../../design/button.tsx';
import { DurationAt } from './duration-at.tsx';
import { ChoiceAt, CommitField, useEditing } from './editing.tsx';
import { Section } from './form-section.tsx';
import { listOf, objectOf } from './json-path.ts';
import { useRule } from './machine-forms.tsx';
import { renameAction } from './rule-edits.ts';
import { TemplateField } from './template-field.tsx';
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
            <DurationAt
              path={['rule', 'actions', index, 'config', 'triggerDelay']}
              label={t('Delay')}
              note={t('e.g. 5 s; empty: none.')}
            />
          </div>
          <TemplateField
            path={['rule', 'actions', index, 'template']}
            type={String(objectOf(action)['type'])}
          />
          {!isReadOnly && (
            <div className="row">
              <Button small onPress={() => change(['rule', 'actions', index], undefined)}>
                <span className="cut">
                  {t('Remove action {action}', { action: String(objectOf(action)['actionId'] ?? '') })}
                </span>
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
