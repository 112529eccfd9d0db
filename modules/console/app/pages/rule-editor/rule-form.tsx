import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import {
  CheckAt,
  ChoiceAt,
  ListAt,
  NumberAt,
  OptionalTextAt,
  TextAt,
  TimeAt,
  numberOf,
  useEditing,
} from './editing.tsx';
import { isJson, objectOf, textsOf, valueAt } from './json-path.ts';
import { DurationAt } from './duration-at.tsx';
import { Actions } from './action-forms.tsx';
import { Section } from './form-section.tsx';
import { StateForm, TransitionForm, useRule } from './machine-forms.tsx';
import { addTransition, initialState, nextState, statesOf, transitionsOf } from './rule-edits.ts';
import { windowUnitOptions } from './tag-words.ts';
import { timeZoneNote } from './cta-words.ts';
import { t } from '../../texts/text.ts';

/** The fields of a CTA and of its rule. What it has no field for stays as the JSON has it. */
export function RuleForm({ tenantId }: { readonly tenantId: string }) {
  const tags = useTool('list-behaviour-tags', { tenantId, limit: 500 });
  return (
    <div className="stack loose">
      <Section title={t('About')}>
        <TextAt path={['name']} label={t('Name')} />
        <TextAt path={['description']} label={t('Description')} lines={3} />
        <div className="columns">
          <TextAt path={['team']} label={t('Team')} whenEmpty={null} />
          <ListAt path={['tags']} label={t('Tags')} whenEmpty={[]} />
        </div>
      </Section>
      <Section title={t('When it runs')}>
        <div className="columns">
          <TimeAt
            path={['startTime']}
            label={t('Start')}
            note={`${t('Empty: as soon as it is live.')} ${timeZoneNote()}`}
            whenEmpty={null}
          />
          <TimeAt path={['endTime']} label={t('End')} note={t('Empty: no end.')} whenEmpty={null} />
        </div>
        <div className="columns">
          <NumberAt
            path={['rule', 'priority']}
            label={t('Priority')}
            note={t('The lower number goes first; empty is 0.')}
          />
          <ChoiceAt
            path={['behaviourTagName']}
            label={t('Behaviour tag')}
            noneName={t('None')}
            whenNone={null}
            options={(tags.data?.behaviourTags ?? []).map(({ behaviourTagName }) => ({
              id: behaviourTagName,
              name: behaviourTagName,
            }))}
          />
        </div>
      </Section>
      <Audience tenantId={tenantId} />
      <Limits />
      <States />
      <Actions />
      <Section title={t('More')}>
        <CheckAt path={['rule', 'resetCTAonFirstLaunch']}>
          {t('Starts over at the first launch of the app')}
        </CheckAt>
        <div className="columns">
          <ListAt
            path={['rule', 'contextParams']}
            label={t('Context')}
            note={t('Properties of events that the template uses, one in a line.')}
          />
          <ListAt
            path={['rule', 'groupByConfig', 'groupByKeys']}
            label={t('Group by')}
            note={t('Properties of events: each combination of values has its own state machine.')}
          />
        </div>
        <div className="columns">
          <NumberAt
            path={['rule', 'groupByConfig', 'maxActiveStateMachineCount']}
            label={t('State machines of a user at most')}
          />
          <DurationAt
            path={['rule', 'stateMachineTTL']}
            label={t('Life of a state machine')}
            note={t('e.g. 30 d; empty: for ever.')}
          />
        </div>
      </Section>
    </div>
  );
}

function Audience({ tenantId }: { readonly tenantId: string }) {
  const { doc, change, isReadOnly } = useEditing();
  const cohorts = useTool('list-cohorts', { tenantId, limit: 500 });
  const list = (name: 'includes' | 'excludes', label: string, note: string) => {
    const path = ['rule', 'cohortEligibility', name];
    const chosen = textsOf(valueAt(doc, path));
    const others = (cohorts.data?.cohorts ?? []).filter(({ cohortName }) => !chosen.includes(cohortName));
    return (
      <div className="stack tight">
        <ListAt path={path} label={label} note={note} />
        {!isReadOnly && others.length > 0 && (
          <Choice
            label={t('Add a cohort: {label}', { label })}
            hideLabel
            placeholder={t('Add cohort…')}
            options={others.map(({ cohortName }) => ({ id: cohortName, name: cohortName }))}
            value={null}
            onChange={(cohort) => change(path, [...chosen, cohort])}
          />
        )}
      </div>
    );
  };
  return (
    <Section title={t('Who gets it')}>
      <div className="columns">
        {list('includes', t('Cohorts'), t('One in a line; empty: everybody.'))}
        {list('excludes', t('But not cohorts'), t('One in a line.'))}
      </div>
      <div className="columns">
        <OptionalTextAt path={['rule', 'appVersions', 'min']} label={t('App version from')} />
        <OptionalTextAt path={['rule', 'appVersions', 'max']} label={t('App version to')} />
        <ListAt
          path={['rule', 'packageNames']}
          label={t('App packages')}
          note={t('One in a line; empty: all.')}
        />
      </div>
    </Section>
  );
}

function Limits() {
  const { doc, change, isReadOnly, faultAt } = useEditing();
  const frequency = ['rule', 'frequency'];
  const path = [...frequency, 'window'];
  const window = valueAt(doc, path);
  // Apps read both spellings; the one that is there is changed.
  const ever = valueAt(doc, [...frequency, 'lifespan']) === undefined ? 'lifeSpan' : 'lifespan';
  return (
    <Section title={t('How often a user sees it')}>
      <p className="note">{t('A reset of the state machine counts as one impression. Empty: no limit.')}</p>
      <div className="columns">
        <NumberAt path={[...frequency, 'session', 'limit']} label={t('In a session')} />
        <NumberAt path={[...frequency, ever, 'limit']} label={t('Ever')} />
        <Field
          label={t('In a window of time')}
          inputMode="numeric"
          value={isJson(window) ? String(window['limit'] ?? '') : ''}
          onChange={(text) =>
            change(
              path,
              text.trim() === ''
                ? undefined
                : { unit: 'days', value: 1, ...objectOf(window), limit: numberOf(text) },
            )
          }
          isReadOnly={isReadOnly}
          error={faultAt('rule.frequency.window.limit')}
        />
        {isJson(window) && (
          <>
            <NumberAt path={[...path, 'value']} label={t('Length of the window')} />
            <ChoiceAt path={[...path, 'unit']} label={t('Unit of the window')} options={windowUnitOptions} />
          </>
        )}
      </div>
    </Section>
  );
}

function States() {
  const { rule, setRule, isReadOnly, faultAt } = useRule();
  const fault = faultAt('rule.stateTransition');
  return (
    <>
      <Section title={t('Transitions')}>
        {fault !== undefined && <span className="field-error">{fault}</span>}
        {transitionsOf(rule).map((transition) => {
          const { event, from, index } = transition;
          return (
            <div key={`${event}\u0000${from}\u0000${index}`} className="card">
              <TransitionForm transition={transition} onMoved={() => undefined} />
            </div>
          );
        })}
        {!isReadOnly && (
          <Button
            onPress={() =>
              setRule(addTransition(rule, { event: 'event', from: initialState, to: nextState(rule) }).rule)
            }
          >
            {t('Add transition')}
          </Button>
        )}
      </Section>
      <Section title={t('States')}>
        {statesOf(rule).map((state) => (
          <div key={state.state} className="card">
            <StateForm state={state} onMoved={() => undefined} />
          </div>
        ))}
      </Section>
    </>
  );
}
