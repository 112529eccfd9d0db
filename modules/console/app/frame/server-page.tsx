import type { ReactNode } from 'react';
import { useMe } from '../api/queries.ts';
import { Empty, Page } from '../design/states.tsx';
import { t } from '../texts/text.ts';

interface ServerPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A page about this server, for administrators of the first organization. */
export const ServerPage = ({ title, children }: ServerPageProps) =>
  useMe().data?.administersServer === true ? (
    children
  ) : (
    <Page title={title}>
      <Empty title={t('Only for administrators of the server')}>
        <p>{t('These are the administrators of the first organization. Ask one of them.')}</p>
      </Empty>
    </Page>
  );
