import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Page } from '../../design/states.tsx';
import { isNoTenant, NoTenant, TenantChooser } from './tenant.tsx';

interface TenantPageProps {
  readonly title: string;
  /** What the page lists: it says whether there is such a tenant. */
  readonly list: UseQueryResult<unknown, Error>;
  /** Buttons beside the choice of the tenant. */
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/** A page about the things of one tenant. */
export function TenantPage({ title, list, actions, children }: TenantPageProps) {
  const isMissing = isNoTenant(list.error);
  return (
    <Page
      title={title}
      actions={
        <>
          <TenantChooser />
          {!isMissing && actions}
        </>
      }
    >
      {isMissing && !list.isFetching ? <NoTenant /> : children}
    </Page>
  );
}
