import { useState } from 'react';
import { call, isRefused } from '../../api/call.ts';
import type { Input, Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { useTyped, type Typed } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { templateValue } from '../rule-editor/nudge-content.ts';
import { PhoneFrame } from '../rule-editor/phone-frame.tsx';
import { t } from '../../texts/text.ts';

const lives = [
  { id: '3600', name: t('For an hour') },
  { id: '86400', name: t('For a day') },
  { id: '604800', name: t('For a week') },
  { id: '0', name: t('Until it is deleted') },
];

interface PreviewDialogProps {
  readonly tenantId: string;
  /** The one to edit; null: a new one. */
  readonly preview: Output<'get-nudge-preview'> | null;
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}

interface PreviewForm {
  readonly id: string;
  readonly template: string;
  /** Seconds until it expires; 0: never. */
  readonly ttl: string;
}

type Preview = Output<'get-nudge-preview'>;

const formOf = (preview: Preview | null): PreviewForm => ({
  id: '',
  template: prettyTemplate(preview?.template),
  ttl: preview === null ? '3600' : String(preview.ttl ?? 0),
});

/** A new preview, or another template under the id of one. */
export function PreviewDialog({ tenantId, preview, onClose, onSaved }: PreviewDialogProps) {
  const form = useTyped(`preview:${tenantId}:${preview?.id ?? 'new'}`, () => formOf(preview));
  const { id, template, ttl } = form.typed;
  const create = useChange('create-nudge-preview');
  const { replace, theirs } = useReplacing(tenantId, form);
  const options = lives.some((life) => life.id === ttl)
    ? lives
    : [{ id: ttl, name: t('For {seconds}', { seconds: countText(Number(ttl), 'second') }) }, ...lives];
  return (
    <ActionDialog
      title={preview === null ? t('Create preview') : t('Edit preview {id}', { id: preview.id })}
      action={preview === null ? t('Create preview') : t('Save preview')}
      wide
      onClose={onClose}
      form={form}
      isDisabled={template.trim() === ''}
      onConfirm={async () => {
        if (preview !== null) {
          await replace(preview.id);
          return onSaved(preview.id);
        }
        const given = id.trim();
        const made = await create.mutateAsync({
          tenantId,
          template,
          ttl: Number(ttl),
          ...(given === '' ? {} : { id: given }),
        });
        say(t('The preview was created.'));
        return onSaved(made.id);
      }}
    >
      <div className="phone-beside">
        <div className="stack">
          {preview === null && (
            <Field
              label={t('Id')}
              note={t('Empty: one that cannot be guessed. Anybody who knows the id can read the preview.')}
              {...form.field('id')}
            />
          )}
          <Field label={t('Template')} {...form.field('template')} lines={14} />
          <Choice
            label={t('It is kept')}
            options={options}
            value={ttl}
            onChange={(next) => form.type({ ttl: next })}
          />
          {theirs !== null && (
            <details open>
              <summary>{t('What somebody else has stored')}</summary>
              <pre className="wrap">{theirs}</pre>
            </details>
          )}
        </div>
        <PhoneFrame template={template} />
      </div>
    </ActionDialog>
  );
}

/** The stored preview; null: it has expired, or somebody deleted it. */
async function storedPreview(given: Input<'get-nudge-preview'>): Promise<Preview | null> {
  try {
    return await call('get-nudge-preview', given);
  } catch (error) {
    if (!isRefused(error, 'PREVIEW_NOT_FOUND')) throw error;
    return null;
  }
}

/**
 * Stores what this person changed in a preview, and says first when somebody else has changed the template. Previews have no version: a
 * program that replaces one does it on purpose, but a person types on top of what they saw.
 */
function useReplacing(tenantId: string, form: Typed<PreviewForm>) {
  const update = useChange('update-nudge-preview');
  const create = useChange('create-nudge-preview');
  const [theirs, setTheirs] = useState<string | null>(null);
  const replace = async (id: string) => {
    const { base, typed } = form;
    const stored = await storedPreview({ tenantId, id });
    if (stored === null) {
      await create.mutateAsync({ tenantId, id, template: typed.template, ttl: Number(typed.ttl) });
      return say(t('The preview had expired or was deleted meanwhile. It was made again.'));
    }
    const now = formOf(stored);
    const isTyped = typed.template !== base.template;
    if (isTyped && now.template !== base.template && now.template !== typed.template) {
      form.begin(now);
      form.type({ template: typed.template, ...(typed.ttl !== base.ttl && { ttl: typed.ttl }) });
      setTheirs(now.template);
      throw new Error(
        t('Somebody else has changed the template meanwhile. Save again to replace it with yours.'),
      );
    }
    await update.mutateAsync({
      tenantId,
      id,
      ...(isTyped && { template: typed.template }),
      // Its time begins anew, also if only the template was changed, unless somebody else has chosen another.
      ttl: Number(typed.ttl === base.ttl ? now.ttl : typed.ttl),
    });
    return say(t('The preview was saved.'));
  };
  return { replace, theirs };
}

const example = { title: 'Welcome', text: 'Look around.', buttons: [{ text: 'Start' }] };

function prettyTemplate(template: string | undefined): string {
  const value = template === undefined ? example : templateValue(template);
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
