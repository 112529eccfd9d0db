import { Component, type ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { Page } from '../design/states.tsx';
import { t } from '../texts/text.ts';

interface BoundaryProps {
  /** Navigation clears the failure of the previous page. */
  readonly address: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: unknown;
  readonly address: string;
}

/** A page that fails, or whose file is gone since the server was updated, says so; the way to the other pages stays. */
export class PageBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null, address: this.props.address };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error: error ?? new Error('unknown') };
  }

  static getDerivedStateFromProps(
    { address }: BoundaryProps,
    state: BoundaryState,
  ): Partial<BoundaryState> | null {
    return address === state.address ? null : { address, error: null };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <Page title={t('This page could not be shown')}>
        <p role="alert">
          {t(
            'It failed, or the server has a newer version since you opened the console. Nothing was changed on the server.',
          )}
        </p>
        <div className="row">
          <Button kind="primary" onPress={() => location.reload()}>
            {t('Load it again')}
          </Button>
        </div>
      </Page>
    );
  }
}
