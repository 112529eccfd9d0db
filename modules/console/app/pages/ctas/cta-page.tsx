import { lazy, Suspense, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { isEditable } from '../../../../cta/rules/lifecycle.ts';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { Alert, Answer, Loading, Page } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { useAddress } from '../../frame/router.tsx';
import { CtaConflict } from './cta-conflict.tsx';
import { useDraft, type Draft } from './cta-draft.ts';
import { CtaEditor, CtaJson } from './cta-editor.tsx';
import { CtaExperiment } from './cta-experiment.tsx';
import { CtaFigureLine, CtaFigures } from './cta-figures.tsx';
import { CtaHistory } from './cta-history.tsx';
import { CtaStatusText, StatusActions } from './cta-status.tsx';
import { CtaVersions } from './cta-versions.tsx';
import { scheduleText } from '../rule-editor/cta-words.ts';
import { objectOf } from '../rule-editor/json-path.ts';
import { EditingOf } from '../rule-editor/editing.tsx';
import { KillButton, KillSwitches } from './kill-switch.tsx';
import './ctas.css';
import './cta.css';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

// The layout of graphs is only here.
const MachineDiagram = lazy(() => import('../rule-editor/machine-diagram.tsx'));

/** It begins and ends by the clock, and others change it. */
const everyMs = 5_000;

/** One CTA: its status, its rule as a form, as JSON and drawn, its versions and its history. */
export default function CtaPage({ ctaId }: { readonly ctaId: string }) {
  const cta = useTool('get-cta', { ctaId }, { everyMs });
  if (cta.data === undefined)
    return (
      <Page title={t('CTA')}>
        <Answer of={cta}>{() => null}</Answer>
      </Page>
    );
  return <CtaView cta={cta.data} now={cta.dataUpdatedAt} />;
}

const tabs = ['editor', 'json', 'figures', 'experiment', 'diagram', 'versions', 'history'] as const;

interface CtaViewProps {
  readonly cta: Output<'get-cta'>;
  /** When the server said so, in epoch milliseconds. */
  readonly now: number;
}

function CtaView({ cta, now }: CtaViewProps) {
  const [address, change] = useAddress();
  const draft = useDraft(cta);
  const mayWrite = useMay('member');
  const [isCloning, setCloning] = useState(false);
  const tab = tabs.find((one) => one === address.get('tab')) ?? 'editor';
  const { tenantId, status } = cta;
  const clone = <Button onPress={() => setCloning(true)}>{t('Clone…')}</Button>;
  return (
    <Page
      title={cta.name}
      actions={
        <>
          <StatusActions cta={cta} isDirty={draft.isDirty} />
          {mayWrite && clone}
          <KillButton tenantId={tenantId} tag={cta.behaviourTagName} />
        </>
      }
    >
      <p className="row">
        <CtaStatusText of={status} />
        <span className="note">
          {nodes('{cta} · version {version} · tenant {tenantId}', {
            cta: scheduleText(cta, now),
            version: cta.version,
            tenantId: <Link href={`/ctas?tenant=${encodeURIComponent(tenantId)}`}>{tenantId}</Link>,
          })}
        </span>
        <Link href={`/try?tenant=${encodeURIComponent(tenantId)}&ctas=${cta.ctaId}`}>{t('Simulate')}</Link>
      </p>
      <CtaFigureLine ctaId={cta.ctaId} />
      <KillSwitches tenantId={tenantId} />
      {mayWrite && !isEditable(status) && (
        <Alert kind="info">
          {status === 'LIVE'
            ? t('A live CTA cannot be edited: apps have it. Pause it, or clone it into a draft.')
            : status === 'SCHEDULED'
              ? t('A scheduled CTA cannot be edited. Change it back to a draft first, or clone it.')
              : t('A CTA that ended cannot be edited. Clone it into a draft.')}
        </Alert>
      )}
      <SaveBar draft={draft} mayWrite={mayWrite} />
      <EditingOf
        value={{
          doc: draft.doc,
          change: draft.change,
          isReadOnly: draft.isReadOnly || draft.jsonError !== null,
          faultAt: (path) => draft.faults.find((fault) => fault.path === path)?.message,
        }}
      >
        <Tabs
          label={t('About the CTA')}
          selected={tab}
          onChange={(id) =>
            change({ tab: id === 'editor' ? null : id, offset: null, diff: null, against: null, goal: null })
          }
          tabs={[
            { id: 'editor', name: t('Editor'), content: <CtaEditor tenantId={tenantId} draft={draft} /> },
            { id: 'json', name: t('JSON'), content: <CtaJson draft={draft} /> },
            {
              id: 'figures',
              name: t('Figures'),
              content: <CtaFigures ctaId={cta.ctaId} rule={objectOf(cta.rule)} />,
            },
            {
              id: 'experiment',
              name: t('Experiment'),
              content: <CtaExperiment cta={cta} draft={draft} />,
            },
            {
              id: 'diagram',
              name: t('Diagram'),
              content: (
                <Suspense fallback={<Loading />}>
                  <MachineDiagram ctaId={cta.ctaId} />
                </Suspense>
              ),
            },
            {
              id: 'versions',
              name: t('Versions'),
              content: <CtaVersions cta={cta} isDirty={draft.isDirty} />,
            },
            { id: 'history', name: t('History'), content: <CtaHistory ctaId={cta.ctaId} /> },
          ]}
        />
      </EditingOf>
      {draft.isConflict && <CtaConflict ctaId={cta.ctaId} draft={draft} />}
      {isCloning && <CloneCta cta={cta} onClose={() => setCloning(false)} />}
    </Page>
  );
}

interface SaveBarProps {
  readonly draft: Draft;
  /** Otherwise they were made a reader while they typed. */
  readonly mayWrite: boolean;
}

function SaveBar({ draft, mayWrite }: SaveBarProps) {
  const { isDirty, isReadOnly, isSaving, jsonError, refused, faults } = draft;
  if (!isDirty && refused === null) return null;
  return (
    <section className="cta-save stack" aria-label={t('Changes')}>
      <div className="row">
        <strong>{t('Changes are not saved')}</strong>
        <span className="grow note" role="status">
          {faults.length > 0 && countText(faults.length, 'fault')}
        </span>
        <Button onPress={draft.discard}>{t('Discard changes')}</Button>
        <Button
          kind="primary"
          isDisabled={isReadOnly || isSaving || jsonError !== null}
          onPress={() => void draft.save()}
        >
          {t('Save CTA')}
        </Button>
      </div>
      {!mayWrite && (
        <p className="note">
          {t('They cannot be saved: you can only read CTAs now. Copy what you need from the tab JSON.')}
        </p>
      )}
      {refused !== null && <Alert kind="error">{refused}</Alert>}
    </section>
  );
}

interface CloneCtaProps {
  readonly cta: Output<'get-cta'>;
  readonly onClose: () => void;
}

function CloneCta({ cta, onClose }: CloneCtaProps) {
  const [, navigate] = useLocation();
  const clone = useChange('clone-cta');
  const form = useTyped(`clone:${cta.ctaId}`, () => ({
    name: t('Copy of {name}', { name: cta.name }).slice(0, 255),
  }));
  const { name } = form.typed;
  return (
    <ActionDialog
      title={t('Clone {name}', { name: cta.name })}
      action={t('Clone CTA')}
      onClose={onClose}
      form={form}
      isDisabled={name.trim() === ''}
      onConfirm={async () => {
        const made = await clone.mutateAsync({ ctaId: cta.ctaId, name });
        say(t('{name} was created as a draft.', { name: made.name }));
        navigate(`/ctas/${made.ctaId}`);
      }}
    >
      <Field label={t('Name')} {...form.field('name')} maxLength={255} autoFocus />
      <p className="note">
        {nodes('The copy is a draft with the fields of version {version}. Users start anew with it.', {
          version: cta.version,
        })}
      </p>
    </ActionDialog>
  );
}
