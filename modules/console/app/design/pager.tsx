import { countText, numberText } from './amount.ts';
import { Button } from './button.tsx';
import { manyText, t, type Noun } from '../texts/text.ts';

export interface PagerProps {
  /** The singular and plural of the records: `noun('member')`. */
  readonly of: Noun;
  /** The total; for a list without a count, whether more follow. */
  readonly total: number | { readonly more: boolean };
  readonly limit: number;
  readonly offset: number;
  /** @param how of a move that the person did not make: it is no step of the history. */
  readonly onOffset: (offset: number, how?: { readonly replace: boolean }) => void;
}

/** Which rows of a list are shown, and the way to the others. */
export function Pager({ of, total, limit, offset, onOffset }: PagerProps) {
  const several = manyText(of);
  const isCounted = typeof total === 'number';
  const more = isCounted ? offset + limit < total : total.more;
  if (offset === 0 && !more)
    return isCounted ? (
      <p className="note number" role="status">
        {countText(total, of.one, of.several)}
      </p>
    ) : null;
  const last = isCounted
    ? t('{offset} of {total}', {
        offset: numberText(Math.min(offset + limit, total)),
        total: numberText(total),
      })
    : '';
  return (
    <nav className="row" aria-label={t('Pages of {several}', { several })}>
      <span className="note number" role="status">
        {isCounted
          ? `${numberText(Math.min(offset + 1, total))}–${last} ${several}`
          : t('{several} from {offset}', { several, offset: numberText(offset + 1) })}
      </span>
      <Button
        small
        isDisabled={offset === 0}
        aria-label={t('Previous {several}', { several })}
        onPress={() => onOffset(Math.max(0, offset - limit))}
      >
        {t('Previous')}
      </Button>
      <Button
        small
        isDisabled={!more}
        aria-label={t('Next {several}', { several })}
        onPress={() => onOffset(offset + limit)}
      >
        {t('Next')}
      </Button>
    </nav>
  );
}
