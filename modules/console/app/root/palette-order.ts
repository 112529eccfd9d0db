import { t } from '../texts/text.ts';

/** A line of the palette. */
export interface Entry {
  /** The address that it opens; for commands a word of their own. */
  readonly id: string;
  readonly name: string;
  readonly group: string;
  /** Other words that find it, e.g. the project of a page. */
  readonly also?: string;
  /** The id of a record, which a person may type instead of its name. */
  readonly recordId?: number;
}

const wordsOf = (text: string): readonly string[] => text.toLocaleLowerCase().split(/[^\p{L}\p{N}]+/u);

/** The number of a record in a typed text: "12", "#12". */
export const typedId = (text: string): number | undefined => {
  const [, digits] = /^#?([1-9]\d{0,8})$/.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** How well a text finds an entry, the lower the better; null: it does not. */
function rankOf(text: string, { name, also = '', recordId }: Entry): number | null {
  const typed = text.trim().toLocaleLowerCase();
  if (recordId !== undefined && recordId === typedId(typed)) return 0;
  const whole = name.toLocaleLowerCase();
  if (whole === typed) return 0;
  if (whole.startsWith(typed)) return 1;
  const parts = [...wordsOf(name), ...wordsOf(also)];
  const wanted = wordsOf(typed).filter((word) => word !== '');
  if (wanted.length === 0) return null;
  if (wanted.every((word) => parts.some((part) => part.startsWith(word)))) return 2;
  const all = `${whole} ${also.toLocaleLowerCase()}`;
  return wanted.every((word) => all.includes(word)) ? 3 : null;
}

const pagesGroup = t('Pages');

/** Groups in the order in which equally good entries are shown: a record that was searched for comes before a page that looks like it. */
const order = [
  t('Recent'),
  t('Actions'),
  pagesGroup,
  t('Projects'),
  t('Tests'),
  t('Runs'),
  t('Milestones'),
  t('Plans'),
  t('Saved views'),
  t('CTAs'),
  t('Cohorts'),
  t('People'),
];

const placeOf = (group: string) => (order.includes(group) ? order.indexOf(group) : order.indexOf(pagesGroup));

/**
 * What the palette lists for a typed text: the best matches first, at equal rank those that were opened lately, then by group. Without a
 * text: what was opened lately, then everything else.
 * @param recent addresses, the last one first.
 */
export function foundEntries(
  text: string,
  entries: readonly Entry[],
  recent: readonly string[],
  most: number,
): readonly Entry[] {
  const lately = (id: string) => {
    const at = recent.indexOf(id);
    return at < 0 ? recent.length : at;
  };
  const isTyped = text.trim() !== '';
  const sorted = entries
    .flatMap((entry, at) => {
      const rank = isTyped ? rankOf(text, entry) : 0;
      return rank === null ? [] : [{ entry, at, rank }];
    })
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        lately(a.entry.id) - lately(b.entry.id) ||
        placeOf(a.entry.group) - placeOf(b.entry.group) ||
        a.at - b.at,
    )
    .map(({ entry }) => entry);
  return isTyped ? fairPart(sorted, most) : sorted.slice(0, most);
}

/** The first entries, but no group takes more than half of the places from others that were found, e.g. ten tests from a CTA. */
function fairPart(sorted: readonly Entry[], most: number): readonly Entry[] {
  const byGroup = Map.groupBy(sorted, ({ group }) => group);
  const within = new Set([...byGroup.values()].flatMap((found) => found.slice(0, Math.ceil(most / 2))));
  const first = [...sorted.filter((one) => within.has(one)), ...sorted.filter((one) => !within.has(one))];
  const chosen = new Set(first.slice(0, most));
  return sorted.filter((one) => chosen.has(one));
}
