import { useNames } from '../../api/people.ts';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Answer } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { documentOf, textOf } from '../rule-editor/cta-document.ts';
import type { Draft } from './cta-draft.ts';
import { DiffView } from './diff-view.tsx';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface CtaConflictProps {
  readonly ctaId: string;
  readonly draft: Draft;
}

/** Another person has saved meanwhile: shows who, what this person's changes would replace, and the choice. */
export function CtaConflict({ ctaId, draft }: CtaConflictProps) {
  const stored = useTool('get-cta', { ctaId });
  const versions = useTool('list-cta-versions', { ctaId, limit: 1 });
  const nameOf = useNames();
  const newest = versions.data?.versions[0];
  const now = stored.data;
  return (
    <ActionDialog
      title={t('Somebody saved this CTA meanwhile')}
      action={t('Store my changes')}
      wide
      onClose={draft.closeConflict}
      isDisabled={now === undefined || now.version <= draft.version}
      onConfirm={async () => {
        if (now && !(await draft.saveInto(now)))
          throw new Error(t('It was not stored. Look at what is stored now.'));
      }}
    >
      <Answer of={stored}>
        {(cta) => (
          <>
            <p>
              {nodes('You changed version {yours}; version {stored} is stored now', {
                yours: draft.version,
                stored: cta.version,
              })}
              {newest && (
                <>{nodes(', by {by} {time}', { by: nameOf(newest.by), time: <Time at={newest.at} /> })}</>
              )}
              {t(
                '. Lines with - are stored, lines with + are yours. Your changes replace those lines, nothing else.',
              )}
            </p>
            <DiffView
              label={t('What is stored against yours')}
              before={textOf(documentOf(cta))}
              after={textOf(draft.mergedWith(cta))}
            />
            <div className="row">
              <Button
                onPress={() => {
                  draft.show(cta);
                  draft.closeConflict();
                }}
              >
                {t('Drop mine and show what is stored')}
              </Button>
            </div>
          </>
        )}
      </Answer>
    </ActionDialog>
  );
}
