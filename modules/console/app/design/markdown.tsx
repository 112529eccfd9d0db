import { Markdown } from 'markdown-to-jsx';
import type { ReactNode } from 'react';

/** Only safe links: `javascript:` and the like are shown as text. */
const Safe = ({ href, children }: { readonly href?: string; readonly children?: ReactNode }) =>
  href !== undefined && /^(https?:|mailto:)/i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

/** An image would be loaded from another server: its text is shown instead. */
const ImageText = ({ alt }: { readonly alt?: string }) => <span>{alt}</span>;

const options = {
  disableParsingRawHTML: true,
  forceWrapper: true,
  wrapper: 'div',
  overrides: { a: Safe, img: ImageText, iframe: ImageText, h1: 'h3', h2: 'h3' },
} as const;

/** A user's text as Markdown. It becomes elements and never HTML, so it cannot inject a script. */
export const MarkdownText = ({ children }: { readonly children: string }) => (
  <Markdown className="markdown" options={options}>
    {children}
  </Markdown>
);
