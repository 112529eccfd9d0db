import { Label, TextArea, TextField } from 'react-aria-components';
import { Alert } from '../../design/states.tsx';
import type { Draft } from './cta-draft.ts';
import { RuleForm } from '../rule-editor/rule-form.tsx';
import type { Fault } from '../rule-editor/rule-faults.ts';
import { t } from '../../texts/text.ts';

interface CtaEditorProps {
  readonly tenantId: string;
  readonly draft: Draft;
}

/** The form of a CTA, with its faults beside it. */
export const CtaEditor = ({ tenantId, draft }: CtaEditorProps) => {
  const hasFaults = draft.faults.length + draft.warnings.length > 0;
  return (
    <div className={hasFaults ? 'cta-editor with-faults' : 'cta-editor'}>
      <div className="stack">
        {draft.jsonError !== null && (
          <Alert kind="warning">
            {t('The form shows the last JSON that could be read. Repair the JSON first.')}
          </Alert>
        )}
        <RuleForm tenantId={tenantId} />
      </div>
      {hasFaults && (
        <div className="cta-faults stack">
          <DraftFaults draft={draft} />
        </div>
      )}
    </div>
  );
};

/** The whole CTA as JSON: what changes here changes in the form, and the other way round. */
export const CtaJson = ({ draft }: { readonly draft: Draft }) => (
  <div className="cta-json stack">
    <DraftFaults draft={draft} />
    <TextField
      className="field grow"
      value={draft.text}
      onChange={draft.setText}
      isReadOnly={draft.isReadOnly}
      isInvalid={draft.jsonError !== null}
    >
      <Label>{t('JSON')}</Label>
      <TextArea className="input mono" spellCheck="false" wrap="off" />
    </TextField>
    {draft.jsonError !== null && <span className="field-error">{draft.jsonError}</span>}
  </div>
);

const DraftFaults = ({ draft }: { readonly draft: Draft }) => (
  <>
    <Faults title={t('Faults')} kind="error" faults={draft.faults} />
    <Faults title={t('What may surprise')} kind="warning" faults={draft.warnings} />
  </>
);

interface FaultsProps {
  readonly title: string;
  readonly kind: 'error' | 'warning';
  readonly faults: readonly Fault[];
}

const Faults = ({ title, kind, faults }: FaultsProps) =>
  faults.length > 0 && (
    <section className={`alert ${kind}`} aria-label={title}>
      <strong>{title}</strong>
      <ul>
        {faults.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <code>{path}</code> {message}
          </li>
        ))}
      </ul>
    </section>
  );
