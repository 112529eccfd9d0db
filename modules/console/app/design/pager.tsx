import { Button } from './button.tsx';

interface PagerProps {
  /** What is listed, e.g. "members". */
  readonly of: string;
  /** How many there are; of a list that is not counted, whether more follow. */
  readonly total: number | { readonly more: boolean };
  readonly limit: number;
  readonly offset: number;
  readonly onOffset: (offset: number) => void;
}

/** Which rows of a list are shown, and the way to the others. */
export function Pager({ of, total, limit, offset, onOffset }: PagerProps) {
  const isCounted = typeof total === 'number';
  const more = isCounted ? offset + limit < total : total.more;
  if (offset === 0 && !more)
    return isCounted ? (
      <p className="note number" role="status">
        {total} {of}
      </p>
    ) : null;
  const last = isCounted ? `${Math.min(offset + limit, total)} of ${total}` : '';
  return (
    <nav className="row" aria-label={`Pages of ${of}`}>
      <span className="note number" role="status">
        {isCounted ? `${Math.min(offset + 1, total)}–${last} ${of}` : `${of} from ${offset + 1}`}
      </span>
      <Button
        small
        isDisabled={offset === 0}
        aria-label={`Previous ${of}`}
        onPress={() => onOffset(Math.max(0, offset - limit))}
      >
        Previous
      </Button>
      <Button small isDisabled={!more} aria-label={`Next ${of}`} onPress={() => onOffset(offset + limit)}>
        Next
      </Button>
    </nav>
  );
}
