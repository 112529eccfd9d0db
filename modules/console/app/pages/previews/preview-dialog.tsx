import { useState } from 'react';
import { call, isRefused } from '../../api/call.ts';
import type { Input, Output } from '../../api/calls.ts';
import { useWrite } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
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

/** A new preview, or another template under the id of one. */
export function PreviewDialog({ tenantId, preview, onClose, onSaved }: PreviewDialogProps) {
  const store = useWrite((given: Input<'create-nudge-preview'>) =>
    preview === null ? call('create-nudge-preview', given) : replace({ ...given, id: preview.id }),
  );
  const form = useTyped(`preview:${tenantId}:${preview?.id ?? 'new'}`, () => ({
    id: '',
    template: prettyTemplate(preview?.template),
  }));
  const { id, template } = form.typed;
  const [ttl, setTtl] = useState(preview === null ? '3600' : String(preview.ttl ?? 0));
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
        const given = id.trim();
        const saved = await store.mutateAsync({
          tenantId,
          template,
          ttl: Number(ttl),
          ...(given === '' ? {} : { id: given }),
        });
        say(preview === null ? t('The preview was created.') : t('The preview was saved.'));
        onSaved(saved.id);
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
          <Choice label={t('It is kept')} options={options} value={ttl} onChange={setTtl} />
        </div>
        <PhoneFrame template={template} />
      </div>
    </ActionDialog>
  );
}

const example = { title: 'Welcome', text: 'Look around.', buttons: [{ text: 'Start' }] };

function prettyTemplate(template: string | undefined): string {
  const value = template === undefined ? example : templateValue(template);
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** A preview that has expired while somebody edited it is made again. */
async function replace(given: Input<'update-nudge-preview'> & Input<'create-nudge-preview'>) {
  try {
    return await call('update-nudge-preview', given);
  } catch (error) {
    if (!isRefused(error, 'PREVIEW_NOT_FOUND')) throw error;
    return call('create-nudge-preview', given);
  }
}
