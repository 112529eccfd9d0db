import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { objectOf } from '../rule-editor/json-path.ts';
import { call } from '../../api/call.ts';
import type { Input, Output } from '../../api/calls.ts';
import { messageOf } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Check, Field } from '../../design/fields.tsx';
import { Alert } from '../../design/states.tsx';
import { useAddress } from '../../frame/router.tsx';
import { CtaChecks } from '../ctas/cta-checks.tsx';
import { Section } from '../rule-editor/form-section.tsx';
import { Timeline } from './simulation-timeline.tsx';
import {
  inputSteps,
  isComplete,
  newStep,
  stepsOfText,
  stepsText,
  type StepDraft,
} from '../rule-editor/simulation-steps.ts';
import { StepForm } from '../rule-editor/step-form.tsx';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Simulation = Output<'simulate-cta'>;

interface Ran {
  readonly simulation: Simulation;
  readonly steps: readonly StepDraft[];
}

/** A step with a key of its own: it keeps what is typed when another one is removed. */
interface Keyed {
  readonly key: number;
  readonly step: StepDraft;
}

let lastKey = 0;
const keyed = (step: StepDraft): Keyed => ({ key: ++lastKey, step });

interface Asked {
  /** undefined: all that a launch would send. */
  readonly ctaIds: readonly string[] | undefined;
  readonly user: string;
  readonly app: App;
  readonly steps: readonly StepDraft[];
}

interface App {
  readonly appVersion: string;
  readonly packageName: string;
  readonly platform: string;
  readonly timeZone: string;
}

/** Runs simulations. What was asked stands in the address. */
function useSimulation(tenantId: string) {
  const [, change] = useAddress();
  const [ran, setRan] = useState<Ran | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async ({ ctaIds, user, app, steps }: Asked) => {
    change({
      ctas: ctaIds?.join(',') ?? null,
      user,
      version: app.appVersion,
      package: app.packageName,
      platform: app.platform,
      zone: app.timeZone,
      steps: stepsText(steps),
    });
    const input: Input<'simulate-cta'> = {
      tenantId,
      steps: inputSteps(steps, Date.now()),
      ...(ctaIds && { ctaIds: [...ctaIds] }),
      ...(user.trim() !== '' && { userId: user.trim() }),
      ...Object.fromEntries(Object.entries(app).filter(([, text]) => text !== '')),
    };
    setRan(null);
    setError(null);
    setBusy(true);
    try {
      setRan({ simulation: await call('simulate-cta', input), steps });
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return { run, ran, error, isBusy };
}

/** Events are played on CTAs, and everything that an app would do is shown step by step. */
export function SimulateTab({ tenantId }: { readonly tenantId: string }) {
  const [address] = useAddress();
  const [ids, setIds] = useState<readonly string[]>(() =>
    (address.get('ctas') ?? '').split(',').filter((id) => /^[1-9]\d{0,14}$/.test(id)),
  );
  const [isAll, setAll] = useState(ids.length === 0);
  const [user, setUser] = useState(address.get('user') ?? '');
  const [app, setApp] = useState<App>({
    appVersion: address.get('version') ?? '',
    packageName: address.get('package') ?? '',
    platform: address.get('platform') ?? '',
    timeZone: address.get('zone') ?? '',
  });
  const [steps, setSteps] = useState<readonly Keyed[]>(() => stepsOfText(address.get('steps')).map(keyed));
  const { run, ran, error, isBusy } = useSimulation(tenantId);
  const { names, rules, events } = useChosen(isAll ? [] : ids);
  return (
    <div className="simulation">
      <form
        className="stack"
        aria-label={t('Simulation')}
        onSubmit={(event) => {
          event.preventDefault();
          void run({ ctaIds: isAll ? undefined : ids, user, app, steps: steps.map(({ step }) => step) });
        }}
      >
        <Section title={t('CTAs')}>
          <Check isSelected={isAll} onChange={setAll}>
            {t('All that a launch would send')}
          </Check>
          {!isAll && (
            <CtaChecks
              label={t('These, also drafts')}
              tenantId={tenantId}
              isChosen={({ ctaId }) => ids.includes(ctaId)}
              onChange={({ ctaId }, chosen) =>
                setIds(chosen ? [...ids, ctaId] : ids.filter((id) => id !== ctaId))
              }
            />
          )}
        </Section>
        <UserAndApp user={user} onUser={setUser} app={app} onApp={setApp} />
        <Section title={t('What happens')}>
          <ol className="simulation-steps">
            {steps.map(({ key, step }, index) => (
              <StepForm
                key={key}
                number={index + 1}
                step={step}
                onChange={(next) => setSteps(steps.with(index, { key, step: next }))}
                onRemove={() => setSteps(steps.toSpliced(index, 1))}
              />
            ))}
          </ol>
          <div className="row">
            <Button onPress={() => setSteps([...steps, keyed(newStep())])}>{t('Add step')}</Button>
            {events.map((event) => (
              <Button key={event} small onPress={() => setSteps([...steps, keyed(newStep(event))])}>
                {nodes('Add {event}', { event })}
              </Button>
            ))}
          </div>
        </Section>
        <div className="row">
          <Button
            type="submit"
            kind="primary"
            isDisabled={isBusy || !isComplete(steps.map(({ step }) => step)) || (!isAll && ids.length === 0)}
          >
            {t('Run simulation')}
          </Button>
          <span className="note">{t('Nothing is stored.')}</span>
        </div>
        {error !== null && <Alert kind="error">{messageOf(error)}</Alert>}
      </form>
      <div className="simulation-result stack" role="region" aria-label={t('Result')} tabIndex={0}>
        {ran === null ? (
          <p className="note">
            {t('Run it to see what an app does in each step, and what is held back and why.')}
          </p>
        ) : (
          <Timeline simulation={ran.simulation} steps={ran.steps} names={names} rules={rules} />
        )}
      </div>
    </div>
  );
}

interface UserAndAppProps {
  readonly user: string;
  readonly onUser: (user: string) => void;
  readonly app: App;
  readonly onApp: (app: App) => void;
}

const appFields = [
  ['appVersion', t('App version'), ''],
  ['packageName', t('Package'), ''],
  ['platform', t('Platform'), ''],
  ['timeZone', t('Time zone'), 'Europe/Berlin'],
] as const;

/** Whose app it is. */
const UserAndApp = ({ user, onUser, app, onApp }: UserAndAppProps) => (
  <Section title={t('User and app')}>
    <div className="columns">
      <Field
        label={t('User id')}
        note={t('Empty: a new user in no cohort.')}
        value={user}
        onChange={onUser}
        inputMode="numeric"
      />
      {appFields.map(([name, label, placeholder]) => (
        <Field
          key={name}
          label={label}
          placeholder={placeholder}
          value={app[name]}
          onChange={(text) => onApp({ ...app, [name]: text })}
        />
      ))}
    </div>
  </Section>
);

/** CTAs whose events are offered. */
const mostOffered = 5;

/** The names of chosen CTAs, and the events that their rules name. */
function useChosen(ids: readonly string[]) {
  return useQueries({
    queries: ids.slice(0, mostOffered).map((ctaId) => ({
      queryKey: ['get-cta', { ctaId }],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => call('get-cta', { ctaId }, signal),
    })),
    combine: (answers) => {
      const ctas = answers.flatMap(({ data }) => data ?? []);
      return {
        names: new Map(ctas.map(({ ctaId, name }) => [ctaId, name])),
        rules: new Map(ctas.map(({ ctaId, rule }) => [ctaId, objectOf(rule)])),
        events: [...new Set(ctas.flatMap(({ rule }) => Object.keys(rule.stateTransition)))].slice(0, 12),
      };
    },
  });
}
