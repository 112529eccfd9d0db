import { useState } from 'react';
import { save, send } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useTool } from '../../api/queries.ts';
import { numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Facts } from '../../design/facts.tsx';
import { Alert, Answer, Page } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { Time, timeText } from '../../design/time.tsx';
import { bytesText, durationText } from './amount-text.ts';
import { ServerPage } from '../../frame/server-page.tsx';
import { checkWord, tableName } from './server-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Health = Output<'get-server-health'>;

/** The health of the server, and the size of its data. */
export default function HealthPage() {
  return (
    <ServerPage title={t('Health')}>
      <ServerHealth />
    </ServerPage>
  );
}

function ServerHealth() {
  const health = useTool('get-server-health', {});
  return (
    <Page
      title={t('Health')}
      actions={
        <Button onPress={() => void health.refetch()} isDisabled={health.isFetching}>
          {health.isFetching ? t('Checking…') : t('Check again')}
        </Button>
      }
    >
      <Answer of={health}>
        {(data) => (
          <>
            <Checks health={data} />
            <Backup health={data} />
            <Data health={data} />
          </>
        )}
      </Answer>
    </Page>
  );
}

const Checks = ({ health }: { readonly health: Health }) => (
  <section className="card stack" aria-label={t('Server')}>
    <div className="row">
      <h2>{t('Server')}</h2>
      <span className={`status ${health.ready ? 'of-passed' : 'of-failed'}`}>
        {health.ready ? t('Ready') : t('Not ready')}
      </span>
    </div>
    <Facts
      of={[
        { name: t('Version'), value: health.version },
        { name: t('Started'), value: timeText(health.startedAt) },
        { name: t('Up for'), value: durationText(health.uptimeSeconds) },
        { name: t('Data in'), value: health.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL' },
      ]}
    />
    <Table
      label={t('Checks')}
      rows={health.checks}
      keyOf={({ name }) => name}
      columns={[
        { title: t('Check'), cell: ({ name }) => checkWord(name) },
        {
          title: t('Result'),
          cell: ({ ok, code }) => (
            <span className={`status ${ok ? 'of-passed' : 'of-failed'}`}>{ok ? t('OK') : code}</span>
          ),
        },
        {
          title: t('What to do'),
          cell: ({ message, remedy }) => [message, remedy].filter(Boolean).join(' ') || '–',
        },
      ]}
    />
  </section>
);

function Backup({ health }: { readonly health: Health }) {
  const [state, setState] = useState<'idle' | 'busy' | 'saved'>('idle');
  const [problem, setProblem] = useState<string | null>(null);
  const downloadBackup = async () => {
    setState('busy');
    setProblem(null);
    try {
      await save(await send('/console/backup'), 'trivet-backup');
      setState('saved');
    } catch (error) {
      setState('idle');
      setProblem(messageOf(error));
    }
  };
  const { lastBackup, engine } = health;
  return (
    <section className="card stack" aria-label={t('Backup')}>
      <h2>{t('Backup')}</h2>
      <p>
        {lastBackup === null ? (
          t('No backup of the data directory is known.')
        ) : (
          <>
            {nodes('The last backup was made {time} ({bytes}).', {
              time: <Time at={lastBackup.at} />,
              bytes: bytesText(lastBackup.bytes),
            })}
          </>
        )}
      </p>
      {engine === 'sqlite' ? (
        <>
          <p className="note">
            {nodes(
              'The download holds all data, also of other organizations. The master key is in it only if {backupRecipient} is set, which encrypts it: keep a copy of the key elsewhere. The download is written to the audit log.',
              { backupRecipient: <code>backup-recipient</code> },
            )}
          </p>
          <div className="row">
            <Button isDisabled={state === 'busy'} onPress={() => void downloadBackup()}>
              {state === 'busy' ? t('Making the backup…') : t('Download a backup')}
            </Button>
            <span role="status">{state === 'saved' && t('The backup was downloaded.')}</span>
          </div>
        </>
      ) : (
        <p className="note">
          {t('Back up PostgreSQL with its own tools, e.g. pg_dump, and the master key beside it.')}
        </p>
      )}
      {problem !== null && <Alert kind="error">{problem}</Alert>}
    </section>
  );
}

const Data = ({ health: { data } }: { readonly health: Health }) => (
  <section className="card stack" aria-label={t('Data')}>
    <h2>{t('Data')}</h2>
    <p>{t('{bytes} in all. Most of it:', { bytes: bytesText(data.bytes) })}</p>
    <Table
      label={t('Records')}
      rows={data.tables}
      keyOf={({ table }) => table}
      columns={[
        {
          title: t('Data'),
          cell: ({ table }) => tableName(table) ?? <span className="mono">{table}</span>,
        },
        {
          title: t('Records'),
          isNumber: true,
          cell: ({ rows, atLeast }) => `${atLeast ? t('more than ') : ''}${numberText(rows)}`,
        },
      ]}
    />
  </section>
);
