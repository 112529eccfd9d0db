import { Component, lazy, Suspense, type ReactNode } from 'react';
import './markdown.css';

const MarkdownText = lazy(async () => ({ default: (await import('./markdown.tsx')).MarkdownText }));

interface BoundaryProps {
  readonly text: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly hasFailed: boolean;
  readonly text: string;
}

/** A text that cannot be rendered is shown as plain text, and the rest of the page stays. Another text is tried again. */
class TextBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasFailed: false, text: this.props.text };

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps(
    { text }: BoundaryProps,
    state: BoundaryState,
  ): Partial<BoundaryState> | null {
    return text === state.text ? null : { text, hasFailed: false };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <PlainText>{this.props.text}</PlainText> : this.props.children;
  }
}

const PlainText = ({ children }: { readonly children: string }) => <p className="wrap">{children}</p>;

/** A user's text, rendered as Markdown. Until the code is loaded, and if loading fails, the plain text is shown. */
export const RichText = ({ children }: { readonly children: string }) => (
  <TextBoundary text={children}>
    <Suspense fallback={<PlainText>{children}</PlainText>}>
      <MarkdownText>{children}</MarkdownText>
    </Suspense>
  </TextBoundary>
);
