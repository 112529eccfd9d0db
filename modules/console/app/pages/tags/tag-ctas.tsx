import { useState } from 'react';
import { isEditable } from '../../../../cta/rules/lifecycle.ts';
import { useChange } from '../../api/queries.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { say } from '../../design/toast.tsx';
import { CtaChecks } from '../ctas/cta-checks.tsx';
import { t } from '../../texts/text.ts';

interface TagCtasProps {
  readonly tenantId: string;
  readonly behaviourTagName: string;
  readonly onClose: () => void;
}

/** Which CTAs are under a tag. Each of them gets a new version when that changes. */
export function TagCtas({ tenantId, behaviourTagName, onClose }: TagCtasProps) {
  const link = useChange('link-behaviour-tag');
  const unlink = useChange('unlink-behaviour-tag');
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const idsWith = (chosen: boolean) => [...changed].filter(([, is]) => is === chosen).map(([id]) => id);
  const [added, removed] = [idsWith(true), idsWith(false)];
  return (
    <ActionDialog
      title={t('CTAs under {behaviourTagName}', { behaviourTagName })}
      action={
        changed.size === 0
          ? t('Save')
          : t('Put {added} under it, take {removed} out', { added: added.length, removed: removed.length })
      }
      wide
      onClose={onClose}
      isDisabled={changed.size === 0}
      onConfirm={async () => {
        if (removed.length > 0) await unlink.mutateAsync({ ctaIds: removed });
        // CTAs already removed stay removed if the rest is refused.
        setChanged(new Map(added.map((id) => [id, true])));
        if (added.length > 0) await link.mutateAsync({ behaviourTagName, ctaIds: added });
        say(t('The CTAs under {behaviourTagName} were changed.', { behaviourTagName }));
      }}
    >
      <p className="note">
        {t(
          'Only drafts and paused CTAs can be changed. A CTA is under one tag: this one takes the place of another.',
        )}
      </p>
      <CtaChecks
        label={t('CTAs')}
        tenantId={tenantId}
        isChosen={(cta) => changed.get(cta.ctaId) ?? cta.behaviourTagName === behaviourTagName}
        onChange={(cta, chosen) => {
          const next = new Map(changed);
          if (chosen === (cta.behaviourTagName === behaviourTagName)) next.delete(cta.ctaId);
          else next.set(cta.ctaId, chosen);
          setChanged(next);
        }}
        isDisabled={({ status }) => !isEditable(status)}
      />
    </ActionDialog>
  );
}
