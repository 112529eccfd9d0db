import { useId, useRef } from 'react';
import { isRefused } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange, useRefresh, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { useFocusAfterRow } from '../../design/focus-lost.ts';
import { Alert } from '../../design/states.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { kindName, linkChoices, linkOf, newIssueOf } from './link-text.ts';
import { t } from '../../texts/text.ts';

interface LinksProps {
  readonly projectId: number;
  readonly testId: number;
  /** The run whose result the links are of, beside those of the test. */
  readonly runId?: number;
  readonly mayWrite: boolean;
  /** A failure here, for which a new issue can be opened. */
  readonly failed?: { readonly testName: string; readonly message: string | null } | undefined;
}

type Link = Output<'list-links'>['links'][number];

/** What a test is for and what is wrong with it, in other systems. */
export function LinksPanel({ projectId, testId, runId, mayWrite, failed }: LinksProps) {
  const title = useId();
  const links = useTool('list-links', { projectId, testId, limit: 500 });
  const shown = (links.data?.links ?? []).filter((one) => one.runId === null || one.runId === runId);
  const panel = useRef<HTMLElement>(null);
  useFocusAfterRow(panel, shown.length);
  return (
    <section ref={panel} className="stack tight" aria-labelledby={title} tabIndex={-1}>
      <h3 id={title}>{t('Links')}</h3>
      {links.error && <Alert kind="error">{messageOf(links.error)}</Alert>}
      {links.data && shown.length === 0 && (
        <p className="note">{t('No requirement and no defect is linked.')}</p>
      )}
      {shown.length > 0 && (
        <ul className="evidence-list">
          {shown.map((link) => (
            <LinkRow key={link.linkId} {...{ projectId, testId, link, mayWrite }} />
          ))}
        </ul>
      )}
      {failed && runId !== undefined && <NewIssue projectId={projectId} runId={runId} {...failed} />}
      {mayWrite && (
        <AddLink
          key={`${testId}:${runId ?? ''}`}
          projectId={projectId}
          testId={testId}
          {...(runId === undefined ? {} : { runId })}
        />
      )}
    </section>
  );
}

interface LinkRowProps {
  readonly projectId: number;
  readonly testId: number;
  readonly link: Link;
  readonly mayWrite: boolean;
}

function LinkRow({ projectId, testId, link: { linkId, kind, key, url, runId }, mayWrite }: LinkRowProps) {
  const remove = useChange('remove-links');
  const add = useChange('add-links');
  const refresh = useRefresh(['list-links']);
  const again = () => {
    const link = url === null ? { kind, key } : { kind, key, url };
    const of = { projectId, testIds: [testId], ...(runId === null ? {} : { runId }) };
    add.mutate({ ...of, links: [link] }, { onError: sayError });
  };
  const removeLink = () =>
    remove.mutate(
      { projectId, linkIds: [linkId] },
      {
        onError: (error) => {
          if (!isRefused(error, 'LINK_NOT_FOUND')) return sayError(error);
          // In another window, or by somebody else.
          refresh({ projectId });
          return say(t('{key} was already removed.', { key }));
        },
        onSuccess: () => say(t('{key} is no longer linked.', { key }), { name: t('Undo'), run: again }),
      },
    );
  return (
    <li className="row nowrap">
      <span className="grow wrap">
        <span className="badge">{kindName(kind)}</span>{' '}
        {url === null ? (
          key
        ) : (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {key}
          </a>
        )}{' '}
        {runId !== null && <span className="note">{t('in this run')}</span>}
      </span>
      {mayWrite && (
        <IconButton
          icon="close"
          label={t('Remove the link {key}', { key })}
          isDisabled={remove.isPending}
          onPress={removeLink}
        />
      )}
    </li>
  );
}

function AddLink({ projectId, testId, runId }: Pick<LinksProps, 'projectId' | 'testId' | 'runId'>) {
  const add = useChange('add-links');
  const form = useTyped(`link:${testId}:${runId ?? ''}`, () => ({
    kind: runId === undefined ? 'requirement' : 'defect',
    text: '',
  }));
  const { kind, text } = form.typed;
  const link = linkOf(kind, text);
  return (
    <form
      className="evidence-form screen-only"
      onSubmit={(event) => {
        event.preventDefault();
        if (!link) return;
        const of = { projectId, testIds: [testId], ...(runId === undefined ? {} : { runId }) };
        add.mutate(
          { ...of, links: [link] },
          { onSuccess: () => form.goOn({ kind, text }, { kind, text: '' }) },
        );
      }}
    >
      <Choice
        label={t('Kind')}
        options={linkChoices}
        value={kind}
        onChange={(id) => form.type({ kind: id })}
      />
      <Field
        label={t('Key or address')}
        {...form.field('text')}
        placeholder="SHOP-12, or https://…"
        maxLength={2_000}
      />
      {/* Also while a link is on its way: Enter does nothing if the button of its form is disabled. The same link twice is one. */}
      <Button type="submit" isDisabled={!link}>
        {t('Link')}
      </Button>
      {add.error && <Alert kind="error">{messageOf(add.error)}</Alert>}
    </form>
  );
}

interface NewIssueProps {
  readonly projectId: number;
  readonly runId: number;
  readonly testName: string;
  readonly message: string | null;
}

/** A link that opens a new issue about a failure, filled in; nothing if the project has no template for one. */
export function NewIssue({ projectId, runId, testName, message }: NewIssueProps) {
  const project = useTool('get-project-detail', { projectId });
  const run = useTool('run-detail', { projectId, runId });
  const address = newIssueOf(project.data?.linkTemplates ?? [], {
    testName,
    message,
    runName: run.data?.runName ?? '',
    address: location.href,
  });
  if (address === undefined) return null;
  return (
    <p>
      <a href={address} target="_blank" rel="noopener noreferrer">
        {t('New issue about this failure')}
      </a>
    </p>
  );
}
