import { Markdown } from 'markdown-to-jsx';
import type { ReactNode } from 'react';
import { t } from '../texts/text.ts';
import { Icon } from './marks/icon.tsx';

interface Within {
  readonly children?: ReactNode;
}

/** Only safe links: `javascript:` and the like are shown as text. */
const Safe = ({ href, children }: Within & { readonly href?: string }) =>
  href !== undefined && /^(https?:|mailto:)/i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

/** An image would be loaded from another server: its text is shown instead. */
const ImageText = ({ alt }: { readonly alt?: string }) => <span>{alt}</span>;

/** One level for all: it stands below the heading of its part. Without an id, which may be one of the page. */
const Heading = ({ children }: Within) => <h4>{children}</h4>;

/** A box of a list of tasks: a picture, for nothing is stored if it is pressed. */
const Task = ({ checked }: { readonly checked?: boolean }) => (
  <span className="task" role="img" aria-label={checked ? t('Done') : t('Not done')}>
    {checked && <Icon of="check" size={12} />}
  </span>
);

/** A table that is wider than its place scrolls by itself, also by keys. */
const Table = ({ children }: Within) => (
  <div className="markdown-table" role="group" aria-label={t('Table')} tabIndex={0}>
    <table>{children}</table>
  </div>
);

const options = {
  disableParsingRawHTML: true,
  forceWrapper: true,
  preserveFrontmatter: true,
  wrapper: 'div',
  overrides: {
    a: Safe,
    img: ImageText,
    iframe: ImageText,
    input: Task,
    table: Table,
    h1: Heading,
    h2: Heading,
    h3: Heading,
    h4: Heading,
    h5: Heading,
    h6: Heading,
  },
} as const;

/** A user's text as Markdown. It becomes elements and never HTML, so it cannot inject a script. */
export const MarkdownText = ({ children }: { readonly children: string }) => (
  <Markdown className="markdown" options={options}>
    {children}
  </Markdown>
);
