import { Link } from 'wouter';
import { useChange, useMe, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Check } from '../../design/fields.tsx';
import { Listing } from '../../design/listing.tsx';
import { Answer, Empty, Page } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { usePaging } from '../../frame/paging.ts';
import { noun, t } from '../../texts/text.ts';

/** Which letters by e-mail a person gets, and about which projects. */
export default function LettersPage() {
  const me = useMe().data;
  const settings = useTool('get-letter-settings', {});
  return (
    <Page title={t('Letters')}>
      <Answer of={settings}>
        {({ sendsLetters, address, kinds }) => (
          <section className="card stack" aria-label={t('Kinds of letters')}>
            <h2>{t('What you get by e-mail')}</h2>
            <p className="note">
              {!sendsLetters
                ? t('This server sends no letters: whoever runs it has not set a mail server (--smtp-url).')
                : address === null
                  ? t('Your account has no verified e-mail address, so you get no letters.')
                  : t('Letters go to {address}.', { address })}
            </p>
            {sendsLetters && kinds.map((kind) => <KindChoice key={kind.kind} {...kind} />)}
          </section>
        )}
      </Answer>
      {settings.data?.sendsLetters === true &&
        me?.modules.includes('testmgmt') === true &&
        me.organizations.length > 0 && <FollowedProjects />}
    </Page>
  );
}

interface Kind {
  readonly kind: string;
  readonly title: string;
  readonly isOn: boolean;
}

function KindChoice({ kind, title, isOn }: Kind) {
  const change = useChange('set-letter-setting');
  return (
    <Check
      isSelected={isOn}
      isDisabled={change.isPending}
      onChange={(selected) =>
        change.mutate(
          { kind, isOn: selected },
          { onError: sayError, onSuccess: () => say(t('The setting was saved.')) },
        )
      }
    >
      {title}
    </Check>
  );
}

function FollowedProjects() {
  const { page, pager } = usePaging();
  const followed = useTool('list-followed-projects', page, { keep: true });
  const change = useChange('follow-project');
  return (
    <Listing
      of={followed}
      label={t('Projects that you follow')}
      rowsOf={({ projects }) => projects}
      keyOf={({ projectId }) => projectId}
      columns={[
        {
          title: t('Project'),
          cell: ({ projectId, projectName }) => (
            <Link href={`/projects/${projectId}/runs`}>{projectName}</Link>
          ),
        },
        { title: t('Since'), cell: ({ since }) => <Time at={since} /> },
        {
          title: t('Actions'),
          hideTitle: true,
          cell: ({ projectId, projectName }) => (
            <Button
              small
              aria-label={t('Do not follow {projectName} any more', { projectName })}
              onPress={() => change.mutate({ projectId, follow: false }, { onError: sayError })}
            >
              {t('Do not follow')}
            </Button>
          ),
        },
      ]}
      names={noun('project')}
      pager={pager}
      empty={
        <Empty title={t('You follow no project')}>
          <p>{t('The button Follow on the pages Runs and Milestones of a project begins it.')}</p>
        </Empty>
      }
    />
  );
}
