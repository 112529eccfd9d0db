import { useEffect, useRef, useState } from 'react';
import { isRefused } from '../../api/call.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { CopyField, useShownOnce } from '../../design/copy-field.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Choice } from '../../design/fields.tsx';
import { Answer } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { useOneAtATime } from '../../api/one-at-a-time.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface RunShareProps {
  readonly projectId: number;
  readonly runId: number;
  /** Not in an inactive project, whose links can only be ended. */
  readonly mayMake: boolean;
  readonly onClose: () => void;
}

const durations = ['7', '30', '90'].map((id) => ({ id, name: t('{id} days', { id }) }));
const day = 86_400_000;
/** How often the list is read again, for what others have ended. */
const everyMs = 5_000;

/** Links by which anybody may read the report of a run. */
export function RunShare({ projectId, runId, mayMake, onClose }: RunShareProps) {
  const [days, setDays] = useState('30');
  const [made, setMade] = useState<{ readonly shareLinkId: number; readonly url: string } | null>(null);
  const links = useTool('list-share-links', { projectId, limit: 500 }, { everyMs });
  const create = useChange('create-share-link');
  const revoke = useChange('revoke-share-link');
  const { holds, onCopied } = useShownOnce(made?.url, t('Close'));
  const oneAtATime = useOneAtATime();
  const listed = links.data?.links;
  const wasListed = useRef<number | null>(null);
  // Somebody else may end it: nobody should copy what leads nowhere.
  useEffect(() => {
    if (made === null || listed === undefined) return;
    const { shareLinkId } = made;
    if (listed.some((link) => link.shareLinkId === shareLinkId)) wasListed.current = shareLinkId;
    else if (wasListed.current === shareLinkId) {
      setMade(null);
      say(t('Somebody else has ended the link.'));
    }
  }, [listed, made]);
  const make = async () => {
    // A minute less, because the clocks of the browser and the server differ.
    const expiresAt = new Date(Date.now() + Number(days) * day - 60_000).toISOString();
    try {
      const { shareLinkId, url } = await create.mutateAsync({ projectId, runId, expiresAt });
      setMade({ shareLinkId, url });
    } catch (error) {
      sayError(error);
    }
  };
  const end = (shareLinkId: number) => {
    const onSuccess = () => {
      setMade((shown) => (shown?.shareLinkId === shareLinkId ? null : shown));
      say(t('The link has ended.'));
    };
    const onError = (error: Error) => {
      // Somebody else has ended it.
      if (isRefused(error, 'SHARE_LINK_NOT_FOUND')) onSuccess();
      else sayError(error);
      void links.refetch();
    };
    revoke.mutate({ shareLinkId }, { onError, onSuccess });
  };
  return (
    <Dialog title={t('Share the report')} onClose={onClose} holds={holds}>
      <div className="stack">
        <p>
          {t('Whoever has the link reads the report of this run without a sign-in, until the link ends.')}
        </p>
        {mayMake && (
          <div className="row">
            <Choice label={t('It ends in')} options={durations} value={days} onChange={setDays} />
            <Button kind="primary" isDisabled={create.isPending} onPress={() => void oneAtATime(make)}>
              {t('Make a link')}
            </Button>
          </div>
        )}
        {made !== null && (
          <CopyField
            label={t('Link')}
            value={made.url}
            onCopied={onCopied}
            note={t('It is shown once. Nobody can read it here again.')}
          />
        )}
        <Answer of={links}>
          {({ links: all }) => {
            const ofRun = all.filter((link) => link.runId === runId);
            if (ofRun.length === 0) return <p className="note">{t('Nobody has a link to this run.')}</p>;
            return (
              <ul className="stack tight" aria-label={t('Live links')}>
                {ofRun.map(({ shareLinkId, expiresAt }) => (
                  <li key={shareLinkId} className="row">
                    <span className="grow">
                      {nodes('Link {shareLinkId}, ends {time}', {
                        shareLinkId,
                        time: <Time at={expiresAt} />,
                      })}
                    </span>
                    <Button
                      small
                      aria-label={t('End link {shareLinkId}', { shareLinkId })}
                      onPress={() => end(shareLinkId)}
                    >
                      {t('End')}
                    </Button>
                  </li>
                ))}
              </ul>
            );
          }}
        </Answer>
        <Button onPress={onClose}>{t('Close')}</Button>
      </div>
    </Dialog>
  );
}
