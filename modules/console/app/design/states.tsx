import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isSignedOutError, Refusal, signInAgain } from '../api/call.ts';
import { messageOf } from '../api/queries.ts';
import { useSignedOut } from '../api/signed-out.ts';
import { Button } from './button.tsx';
import './line-chart.css';
import { useTitle } from './window-title.ts';
import { t } from '../texts/text.ts';

interface AlertProps {
  readonly kind: 'info' | 'warning' | 'error';
  readonly children: ReactNode;
}

/** A message within a page. */
export const Alert = ({ kind, children }: AlertProps) => (
  <div className={`alert ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    {children}
  </div>
);

/** The note in a form with restored input. */
export const Left = () => <Alert kind="info">{t('You typed this before and did not save it.')}</Alert>;

/** The placeholder for a loading result. */
export const Loading = ({ lines = 4 }: { readonly lines?: number }) => (
  <div className="stack" role="status" aria-label={t('Loading')}>
    {Array.from({ length: lines }, (_, line) => (
      <div key={line} className="skeleton" />
    ))}
  </div>
);

/** The placeholder for a chart, as high as the chart: what stands below must not move away from a click. */
export const ChartLoading = () => (
  <figure className="line-chart">
    <div className="line-chart-frame">
      <Loading />
    </div>
    <figcaption className="note">&nbsp;</figcaption>
  </figure>
);

/** The placeholder for a loading page. */
export const PageLoading = () => (
  <div className="page">
    <Loading />
  </div>
);

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** An empty state: what would be here, and how to create the first one. */
export const Empty = ({ title, children }: EmptyProps) => (
  <div className="state">
    <h2>{title}</h2>
    {children}
  </div>
);

interface FailureProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Why something is not shown. What is not there is not asked for again: its address is of something that is gone. */
export const Failure = ({ error, onRetry }: FailureProps) => (
  <div className="state">
    <h2>{isNotThere(error) ? t('Not found') : t('This could not be shown')}</h2>
    <p role="alert">{messageOf(error)}</p>
    <div className="row">
      {isSignedOutError(error) && (
        <Button kind="primary" onPress={signInAgain}>
          {t('Sign in')}
        </Button>
      )}
      {!isNotThere(error) && <Button onPress={onRetry}>{t('Try again')}</Button>}
    </div>
  </div>
);

const isNotThere = (error: unknown) => error instanceof Refusal && error.code.endsWith('_NOT_FOUND');

interface BannerProps {
  /** `alert` if the person has to do something. */
  readonly role: 'alert' | 'status';
  readonly children: ReactNode;
}

/** What is so for the whole page, above it. */
export const Banner = ({ role, children }: BannerProps) => (
  <div className="banner" role={role}>
    {children}
  </div>
);

/** In a dialog, too: it is over the banner that has one. */
export const SignInButton = () => (
  <Button small onPress={signInAgain}>
    {t('Sign in')}
  </Button>
);

/** While a person whose session has ended still types. */
export function SignedOut() {
  if (!useSignedOut()) return null;
  return (
    <Banner role="alert">
      <span>{t('You are signed out. What you typed is kept in this tab.')}</span> <SignInButton />
    </Banner>
  );
}

interface AnswerProps<T> {
  readonly of: UseQueryResult<T, Error>;
  readonly children: (data: T) => ReactNode;
}

/** The result of a query, or its state. */
export function Answer<T>({ of, children }: AnswerProps<T>) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  return of.error ? <Failure error={of.error} onRetry={() => void of.refetch()} /> : <Loading />;
}

interface PageProps {
  readonly title: string;
  /** Buttons next to the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page: its one `h1`, which is also the title of the window. */
export function Page({ title, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className="page stack loose">
      <div className="between">
        <h1>{title}</h1>
        {actions !== undefined && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
