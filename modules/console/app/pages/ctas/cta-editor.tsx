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

/** The form and the JSON of a CTA side by side: what changes in one changes in the other. */
export const CtaEditor = ({ tenantId, draft }: CtaEditorProps) => (
  <div className="cta-editor">
    <div className="stack">
      {draft.jsonError !== null && (
        <Alert kind="warning">
          {t('The form shows the last JSON that could be read. Repair the JSON first.')}
        </Alert>
      )}
      <RuleForm tenantId={tenantId} />
    </div>
    <div className="cta-json stack">
      <Faults title={t('Faults')} kind="error" faults={draft.faults} />
      <Faults title={t('What may surprise')} kind="warning" faults={draft.warnings} />
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
  </div>
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
