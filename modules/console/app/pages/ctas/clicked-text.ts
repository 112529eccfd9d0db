import { numberText, shareText } from '../../design/amount.ts';

interface Users {
  readonly saw: number;
  readonly clicked: number;
}

/** e.g. "640 (63 %)": users who clicked, and their share of those who saw it. "–" where the app reports neither. */
export function clickedText({ saw, clicked }: Users): string {
  if (saw === 0) return clicked === 0 ? '–' : numberText(clicked);
  return `${numberText(clicked)} (${shareText(Math.min(clicked, saw), saw)})`;
}
