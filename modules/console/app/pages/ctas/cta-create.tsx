import { useLocation } from 'wouter';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { firstRule } from '../rule-editor/cta-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface CreateCtaProps {
  readonly tenantId: string;
  readonly onClose: () => void;
}

/** Makes a draft that shows a tooltip on an event, and opens it. */
export function CreateCta({ tenantId, onClose }: CreateCtaProps) {
  const [, navigate] = useLocation();
  const create = useChange('create-cta');
  const form = useTyped(`new-cta:${tenantId}`, () => ({ name: '', description: '' }));
  const { name, description } = form.typed;
  return (
    <ActionDialog
      title={t('Create CTA')}
      action={t('Create CTA')}
      onClose={onClose}
      form={form}
      isDisabled={name.trim() === ''}
      onConfirm={async () => {
        const made = await create.mutateAsync({
          tenantId,
          name,
          ...(description.trim() === '' ? {} : { description }),
          rule: firstRule,
        });
        navigate(`/ctas/${made.ctaId}`);
      }}
    >
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
      <Field
        label={t('Description')}
        note={t('What it is for. Apps get neither name nor description.')}
        {...form.field('description')}
        lines={3}
        maxLength={20_000}
      />
      <p className="note">
        {nodes(
          'It begins as a draft in tenant {tenantId} with an example rule: a tooltip when the event home_opened happens.',
          { tenantId },
        )}
      </p>
    </ActionDialog>
  );
}
