import { countText } from '../../design/amount.ts';
import { useMemo } from 'react';
import { lineDiff, type DiffLine } from './line-diff.ts';
import { t } from '../../texts/text.ts';

/** Lines that are shown around a difference. */
const around = 3;

interface DiffViewProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

interface Shown {
  readonly line: DiffLine | null;
  /** How many lines are left out here. */
  readonly left: number;
}

/** The lines with those far from any difference left out. */
function shownOf(lines: readonly DiffLine[]): readonly Shown[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== 'same');
  const shown: Shown[] = [];
  let left = 0;
  for (const [at, line] of lines.entries()) {
    if (line.kind === 'same' && !isNear(at)) {
      left++;
      continue;
    }
    if (left > 0) shown.push({ line: null, left });
    left = 0;
    shown.push({ line, left: 0 });
  }
  return left > 0 ? [...shown, { line: null, left }] : shown;
}

/** How one text differs from another, line by line. */
export function DiffView({ label, before, after }: DiffViewProps) {
  const lines = useMemo(() => lineDiff(before, after), [before, after]);
  if (lines.every(({ kind }) => kind === 'same')) return <p>{t('Both are the same.')}</p>;
  return (
    <div className="line-diff" role="group" tabIndex={0} aria-label={label}>
      {shownOf(lines).map(({ line, left }, index) =>
        line === null ? (
          <div key={index} className="line-diff-left">
            {t('{linesAre} the same', { linesAre: countText(left, 'line is', 'lines are') })}
          </div>
        ) : line.kind === 'added' ? (
          <ins key={index}>+ {line.text}</ins>
        ) : line.kind === 'removed' ? (
          <del key={index}>- {line.text}</del>
        ) : (
          <div key={index}>{`  ${line.text}`}</div>
        ),
      )}
    </div>
  );
}
