import { useTool } from '../../api/queries.ts';
import { metadataListings } from '../../api/metadata.ts';
import { LinkButton } from '../../design/button.tsx';
import { Alert, Answer, Page } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useMay } from '../../frame/organizations.ts';
import { useAddress } from '../../frame/router.tsx';
import { FieldPanel } from '../fields/field-panel.tsx';
import { LinkTemplates } from './link-templates.tsx';
import { MetadataPanel } from './metadata-panel.tsx';
import { ProjectForm } from './project-form.tsx';
import { ReviewSetting } from './review-setting.tsx';
import { t } from '../../texts/text.ts';

/** What a project is called, and the names by which its tests are described. */
export default function ProjectSettingsPage({ projectId }: { readonly projectId: number }) {
  const project = useTool('get-project-detail', { projectId });
  return (
    <Page
      title={t('Project settings')}
      actions={<LinkButton to={`/audit?project=${projectId}`}>{t('Activity')}</LinkButton>}
    >
      <Answer of={project}>
        {(data) => (
          <>
            <ProjectForm key={data.projectId} project={data} />
            <ReviewSetting project={data} />
            <LinkTemplates key={`links:${data.projectId}`} project={data} />
            <OwnFields projectId={projectId} orgId={data.orgId} isActive={data.isActive} />
            <Metadata projectId={projectId} orgId={data.orgId} isActive={data.isActive} />
          </>
        )}
      </Answer>
    </Page>
  );
}

interface MetadataProps {
  readonly projectId: number;
  readonly orgId: number;
  readonly isActive: boolean;
}

function OwnFields({ projectId, orgId, isActive }: MetadataProps) {
  const isMember = useMay('member', orgId);
  return <FieldPanel projectId={projectId} mayWrite={isMember && isActive} />;
}

function Metadata({ projectId, orgId, isActive }: MetadataProps) {
  const [state, change] = useAddress();
  const isMember = useMay('member', orgId);
  const list = state.get('list') ?? '';
  const tabs = metadataListings.map((listing) => ({
    id: listing.kind,
    name: `${listing.plural.charAt(0).toUpperCase()}${listing.plural.slice(1)}`,
    content: <MetadataPanel projectId={projectId} listing={listing} mayWrite={isMember && isActive} />,
  }));
  return (
    <section className="stack" aria-label={t('How tests are described')}>
      <h2>{t('How tests are described')}</h2>
      {!isActive && (
        <Alert kind="info">{t('The project is inactive, so its lists cannot be changed.')}</Alert>
      )}
      <Tabs
        label={t('Lists of the project')}
        tabs={tabs}
        selected={tabs.some(({ id }) => id === list) ? list : 'label'}
        onChange={(id) => change({ list: id === 'label' ? null : id, offset: null })}
      />
    </section>
  );
}
