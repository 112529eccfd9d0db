import { useRouter } from 'wouter';

interface RowLinkProps {
  /** The address of what the row opens. */
  readonly to: string;
  readonly children: string;
}

/**
 * The name in a row of a grid: a link, so that it opens in another tab, too. A plain click opens what the row opens. Tab goes to the grid
 * and not to each of its rows, where Enter opens.
 */
export function RowLink({ to, children }: RowLinkProps) {
  const { base } = useRouter();
  return (
    <a
      href={`${base}${to}`}
      className="row-link"
      tabIndex={-1}
      title={children}
      draggable={false}
      onClick={(event) => {
        if (!(event.ctrlKey || event.metaKey || event.shiftKey)) event.preventDefault();
      }}
    >
      {children}
    </a>
  );
}
