import { useState } from 'react';
import { Link } from 'wouter';
import { everyClassification } from '../../../../testmgmt/rules/classification.ts';
import type { Output } from '../../api/calls.ts';
import type { useMetadata } from '../../api/metadata.ts';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Alert, Answer } from '../../design/states.tsx';
import { Status } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Time } from '../../design/time.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { hasDraft } from '../../api/unsaved.ts';
import { idOf, useAddress } from '../../frame/router.tsx';
import { useKeys } from '../../frame/keys.ts';
import { usePastedSteps } from './steps/steps-paste.ts';
import { AttachmentsPanel } from '../evidence/attachments-panel.tsx';
import { LinksPanel } from '../evidence/links-panel.tsx';
import { QuarantineDialog, QuarantineNote, useQuarantine } from '../evidence/quarantine.tsx';
import { FieldFacts } from '../fields/field-inputs.tsx';
import { classificationTitle } from '../../api/classification-title.ts';
import { estimateText } from '../planning/estimate-words.ts';
import { TestActivity } from './test-activity.tsx';
import type { Step } from './steps/step-list.ts';
import { useDuplicate } from './test-duplicate.ts';
import { draftOfTest, ProposalForm, TestForm } from './test-form.tsx';
import { ResultStrip } from '../triage/result-strip.tsx';
import { TestVersions } from '../versions/test-versions.tsx';
import { DeletedTest, isDeletedTest } from './test-restore.tsx';
import { TestText } from './test-text.tsx';
import { useProposal } from '../reviews/use-proposal.ts';

import '../evidence/evidence.css';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Test = Output<'get-test-details'>;

interface TestPanelProps {
  readonly projectId: number;
  readonly testId: number;
  readonly metadata: ReturnType<typeof useMetadata>;
  readonly mayWrite: boolean;
  readonly onClose: () => void;
}

/** One test beside the table: what it is, its steps, its results and what happened to it. */
export function TestPanel({ projectId, testId, metadata, mayWrite, onClose }: TestPanelProps) {
  const details = useTool('get-test-details', { projectId, testId });
  const isDeleted = isDeletedTest(details.error);
  const [address, changeAddress] = useAddress();
  const reviewId = idOf(address.get('proposal') ?? undefined);
  // Whoever may only read by now can still read and copy what they typed before.
  const [isEditing, setEditing] = useState(
    () => (mayWrite && reviewId !== null) || hasDraft(draftOfTest(testId)),
  );
  const [pasted, setPasted] = useState<readonly Step[]>([]);
  const mayEdit = mayWrite && !isEditing && !isDeleted && details.data !== undefined;
  const edit = () => setEditing(true);
  useKeys({ e: () => mayEdit && edit() });
  usePastedSteps(mayEdit, (steps) => {
    setPasted(steps);
    edit();
  });
  const [wasEdited, setEdited] = useState(false);
  const endEditing = () => {
    setEditing(false);
    setPasted([]);
    setEdited(true);
    if (reviewId !== null) changeAddress({ proposal: null });
  };
  const reopen = (replaced: number) => {
    changeAddress({ proposal: String(replaced) });
    edit();
  };
  const [isDeleting, setDeleting] = useState(false);
  const remove = useChange('delete-test');
  const restore = useChange('restore-test');
  const endQuarantine = useChange('end-quarantine');
  const quarantined = useQuarantine({ projectId, testId });
  const proposing = useProposal(projectId);
  const [isQuarantining, setQuarantining] = useState(false);
  const duplicate = useDuplicate(projectId, details.data);
  const title = details.data?.testName ?? t('Test {testId}', { testId });
  return (
    <section className="tests-panel stack" aria-label={t('Test')}>
      <div className="row nowrap">
        <h2 className="grow wrap">{title}</h2>
        {mayWrite && !isEditing && details.data && !isDeleted && (
          <Button small autoFocus={wasEdited} onPress={edit}>
            {t('Edit')}
          </Button>
        )}
        {mayWrite && details.data && !isDeleted && (
          <ActionMenu
            small
            label={t('Actions for {title}', { title })}
            actions={[
              { id: 'duplicate', name: t('Duplicate'), onAction: () => void duplicate() },
              quarantined
                ? {
                    id: 'end-quarantine',
                    name: t('End the quarantine'),
                    onAction: () =>
                      endQuarantine.mutate({ projectId, testIds: [testId] }, { onError: sayError }),
                  }
                : {
                    id: 'quarantine',
                    name: t('Put into quarantine…'),
                    onAction: () => setQuarantining(true),
                  },
              { id: 'delete', name: t('Delete…'), onAction: () => setDeleting(true) },
            ]}
          />
        )}
        <IconButton icon="close" label={t('Close the test')} onPress={onClose} />
      </div>
      {/* A form without its test cannot be shown, e.g. after a reload: what was typed comes back with the test. */}
      {isDeleted && (!isEditing || details.data === undefined) ? (
        <DeletedTest {...{ projectId, testId, mayWrite }} />
      ) : (
        <Answer of={details}>
          {(test) =>
            isEditing && reviewId !== null ? (
              <ProposalForm
                {...{ reviewId, test, metadata }}
                onDone={endEditing}
                onReopen={() => reopen(reviewId)}
              />
            ) : isEditing ? (
              <TestForm {...{ test, metadata, pasted }} onDone={endEditing} onReopen={edit} />
            ) : (
              <TestTabs test={test} projectId={projectId} mayWrite={mayWrite} />
            )
          }
        </Answer>
      )}
      <QuarantineDialog
        projectId={projectId}
        of={{ testIds: [testId] }}
        what={title}
        isOpen={isQuarantining}
        onClose={() => setQuarantining(false)}
      />
      <ActionDialog
        title={t('Delete {title}?', { title })}
        action={proposing.isNeeded ? t('Propose deletion') : t('Delete test')}
        kind="danger"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          if (proposing.isNeeded) return proposing.propose({ testId, delete: true });
          await remove.mutateAsync({ projectId, testId });
          onClose();
          say(t('{title} was deleted.', { title }), {
            name: t('Restore'),
            run: () => restore.mutate({ projectId, testId }, { onError: sayError }),
          });
          return undefined;
        }}
      >
        <p>{t('Its results stay. It is found with is:deleted and can be restored.')}</p>
      </ActionDialog>
    </section>
  );
}

interface AboutProps {
  readonly test: Test;
  readonly projectId: number;
  readonly mayWrite: boolean;
}

function TestTabs({ test, projectId, mayWrite }: AboutProps) {
  const { testId, updatedAt, deletedAt } = test;
  return (
    <Tabs
      label={t('About the test')}
      tabs={[
        {
          id: 'test',
          name: t('Test'),
          content: <About test={test} projectId={projectId} mayWrite={mayWrite} />,
        },
        {
          id: 'activity',
          name: t('Activity'),
          content: <TestActivity projectId={projectId} testId={testId} />,
        },
        {
          id: 'versions',
          name: t('Versions'),
          content: (
            <TestVersions {...{ projectId, testId, updatedAt }} mayWrite={mayWrite && deletedAt === null} />
          ),
        },
      ]}
    />
  );
}

function About({ test, projectId, mayWrite }: AboutProps) {
  const history = useTool('get-test-status-history', {
    projectId,
    testId: test.testId,
    limit: 20,
  });
  const rows = history.data?.history;
  const last = rows?.[0];
  return (
    <div className="stack loose">
      <div className="stack tight">
        <h3>{t('Last results')}</h3>
        {history.error && <Alert kind="error">{messageOf(history.error)}</Alert>}
        {rows && <ResultStrip projectId={projectId} testId={test.testId} results={rows} />}
        {last && (
          <p>
            <Status of={last.status} />{' '}
            {nodes('in {runName}, {time}', {
              runName: <Link href={`/projects/${projectId}/runs/${last.runId}`}>{last.runName}</Link>,
              time: <Time at={last.at} />,
            })}
          </p>
        )}
        {rows?.length === 0 && <p className="note">{t('No run has a result of it yet.')}</p>}
      </div>
      <QuarantineNote projectId={projectId} testId={test.testId} />
      <TestText test={test} />
      <LinksPanel projectId={projectId} testId={test.testId} mayWrite={mayWrite && test.deletedAt === null} />
      <AttachmentsPanel projectId={projectId} testId={test.testId} mayWrite={mayWrite} />
      <dl className="facts">
        <dt>{t('Section')}</dt>
        <dd>{test.sectionPath.length === 0 ? '–' : test.sectionPath.join(' > ')}</dd>
        {everyClassification.map((kind) => (
          <Fact key={kind} name={kind} value={test[kind]} />
        ))}
        <dt>{t('Squad')}</dt>
        <dd>{test.squad ?? '–'}</dd>
        <dt>{t('Labels')}</dt>
        <dd>{test.labels.length === 0 ? '–' : test.labels.map(({ labelName }) => labelName).join(', ')}</dd>
        <dt>{t('Estimate')}</dt>
        <dd>{estimateText(test.estimateSeconds) || '–'}</dd>
        <FieldFacts projectId={projectId} values={test.fields} />
        <dt>{t('Changed')}</dt>
        <dd>
          <Time at={test.updatedAt} />
        </dd>
      </dl>
    </div>
  );
}

const Fact = ({
  name,
  value,
}: {
  readonly name: (typeof everyClassification)[number];
  readonly value: string | null;
}) => (
  <>
    <dt>{classificationTitle(name)}</dt>
    <dd>{value ?? '–'}</dd>
  </>
);
