import type { Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Alert } from '../../design/states.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { CtaChecks } from '../ctas/cta-checks.tsx';
import { Section } from '../rule-editor/form-section.tsx';
import { definitionOf, formOf, windowUnitOptions } from '../rule-editor/tag-words.ts';
import '../ctas/cta.css';
import { t } from '../../texts/text.ts';

type Saved = Output<'create-behaviour-tag'>;

interface TagDialogProps {
  readonly tenantId: string;
  /** The one to edit; null: a new one. */
  readonly tag: Output<'get-behaviour-tag'> | null;
  readonly onClose: () => void;
  readonly onSaved: (saved: Saved) => void;
}

const relations = [
  { id: 'none', name: t('None hides another') },
  { id: 'any', name: t('The first that is shown hides the rest') },
  { id: 'list', name: t('Some hide others: choose them') },
] as const;

const toggled = (ids: readonly string[], id: string, chosen: boolean): readonly string[] =>
  chosen ? [...ids, id] : ids.filter((one) => one !== id);

/** The limits that the CTAs of a tag share, and which of them hide each other. */
export function TagDialog({ tenantId, tag, onClose, onSaved }: TagDialogProps) {
  const create = useChange('create-behaviour-tag');
  const update = useChange('update-behaviour-tag');
  const typed = useTyped(`tag:${tenantId}:${tag?.behaviourTagName ?? ''}`, () => ({
    ...formOf(tag),
    name: tag?.behaviourTagName ?? '',
    // Of what was edited: the dialog may be opened again, with what was typed, after somebody else has changed the tag.
    version: tag?.version ?? 0,
  }));
  const { typed: form, type: set } = typed;
  const save = () => {
    const definition = definitionOf(form);
    const given = { tenantId, behaviourTagName: form.name.trim(), ...definition };
    if (tag === null) return create.mutateAsync(given);
    const clear = (['exposureRule', 'ctaRelation'] as const).filter(
      (part) => definition[part] === undefined && tag[part] !== undefined,
    );
    return update.mutateAsync({ ...given, version: form.version, ...(clear.length > 0 && { clear }) });
  };
  return (
    <ActionDialog
      title={
        tag === null
          ? t('Create behaviour tag')
          : t('Edit {behaviourTagName}', { behaviourTagName: tag.behaviourTagName })
      }
      action={tag === null ? t('Create behaviour tag') : t('Save behaviour tag')}
      wide
      onClose={onClose}
      form={typed}
      isDisabled={form.name.trim() === ''}
      onConfirm={async () => {
        const saved = await save();
        say(
          t('The behaviour tag {behaviourTagName} was saved.', { behaviourTagName: saved.behaviourTagName }),
        );
        onSaved(saved);
      }}
    >
      {tag === null ? (
        <Field
          label={t('Name')}
          note={t('As CTAs and apps use it. It cannot be changed later.')}
          {...typed.field('name')}
          maxLength={256}
          autoFocus
        />
      ) : (
        <>
          {form.version !== tag.version && (
            <Alert kind="warning">
              {t('Somebody has changed this tag since you typed this. Cancel, and edit what is there now.')}
            </Alert>
          )}
          <p className="note">
            {t(
              'Apps that know this tag keep its old limits and relations. To reach all apps, create a tag with a new name and put the CTAs under it.',
            )}
          </p>
        </>
      )}
      <Section title={t('How often a user sees CTAs of the tag, counted together')}>
        <div className="columns">
          <Field label={t('In a session')} inputMode="numeric" {...typed.field('session')} />
          <Field label={t('Ever')} inputMode="numeric" {...typed.field('lifespan')} />
          <Field label={t('In a window of time')} inputMode="numeric" {...typed.field('window')} />
          {form.window.trim() !== '' && (
            <>
              <Field label={t('Length of the window')} inputMode="numeric" {...typed.field('value')} />
              <Choice
                label={t('Unit of the window')}
                options={windowUnitOptions}
                value={form.unit}
                onChange={(id) =>
                  set({ unit: windowUnitOptions.find((one) => one.id === id)?.id ?? form.unit })
                }
              />
            </>
          )}
        </div>
        <p className="note">{t('Empty: no limit.')}</p>
      </Section>
      <Section title={t('Which CTAs hide others')}>
        <Choice
          label={t('Relation')}
          options={relations}
          value={form.relation}
          onChange={(id) => set({ relation: relations.find((one) => one.id === id)?.id ?? 'none' })}
        />
        {form.relation === 'list' && (
          <div className="columns">
            <CtaChecks
              label={t('Once one of these was shown')}
              tenantId={tenantId}
              isChosen={({ ctaId }) => form.shown.includes(ctaId)}
              onChange={({ ctaId }, chosen) => set({ shown: toggled(form.shown, ctaId, chosen) })}
            />
            <CtaChecks
              label={t('These are hidden')}
              tenantId={tenantId}
              isChosen={({ ctaId }) => form.hidden.includes(ctaId)}
              onChange={({ ctaId }, chosen) => set({ hidden: toggled(form.hidden, ctaId, chosen) })}
            />
          </div>
        )}
      </Section>
    </ActionDialog>
  );
}
