import { dayOf } from '../../base/day.ts';
import type { XmlHandler } from '../../result-files/text/xml-reader.ts';

/*
 * Dates of a workbook: numbers that only the format of their cell tells from others (ECMA-376, 18.8.30 and 18.17.4).
 */

/** What a format shows of a number of days. */
interface Shown {
  readonly date: boolean;
  readonly time: boolean;
  readonly seconds: boolean;
  /** Hours beyond a day, as `[h]` shows them. */
  readonly elapsed: boolean;
}

const shown = (parts: Partial<Shown>): Shown => ({
  date: false,
  time: false,
  seconds: false,
  elapsed: false,
  ...parts,
});

/** The formats without a code of their own. 27 to 36 and 50 to 58 are dates in East Asian workbooks. */
function builtIn(id: number): Shown | undefined {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58))
    return shown({ date: true });
  if (id === 18 || id === 20) return shown({ time: true });
  if (id === 19 || id === 21 || id === 45 || id === 47) return shown({ time: true, seconds: true });
  if (id === 22) return shown({ date: true, time: true });
  return id === 46 ? shown({ time: true, seconds: true, elapsed: true }) : undefined;
}

/** Texts, colours, languages and fillers of a format, which are no parts of a date. */
const decoration = /"[^"]*"|\\.|[_*].|\[(?!(?:h+|m+|s+)\])[^[\]]*\]/gi;

/** What a format code shows, by its first section; undefined for one of plain numbers. */
function shownBy(code: string): Shown | undefined {
  const [first = ''] = code.slice(0, 255).replaceAll(decoration, '').split(';');
  const has = (letters: RegExp) => letters.test(first);
  if (!has(/[ymdhs]/i) || has(/general/i)) return undefined;
  const [elapsed, seconds] = [has(/\[(?:h+|m+|s+)\]/i), has(/s/i)];
  const time = seconds || has(/h/i) || elapsed;
  return { date: has(/[yd]/i) || !time, time, seconds, elapsed };
}

const maxFormats = 100_000;

/** Reads `xl/styles.xml`: which styles of cells are those of dates. */
export class CellFormats implements XmlHandler {
  readonly #codes = new Map<number, string>();
  readonly #styles: Array<Shown | undefined> = [];
  #isOfCells = false;

  readonly text = () => undefined;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const id = Number(attributes['numFmtId']);
    if (name === 'cellXfs') this.#isOfCells = true;
    else if (name === 'numFmt' && this.#codes.size < maxFormats)
      this.#codes.set(id, attributes['formatCode'] ?? '');
    else if (name === 'xf' && this.#isOfCells && this.#styles.length < maxFormats) {
      const code = this.#codes.get(id);
      this.#styles.push(code === undefined ? builtIn(id) : shownBy(code));
    }
  }

  close(name: string): void {
    if (name === 'cellXfs') this.#isOfCells = false;
  }

  /** The date or the time of a number in a cell of a style, e.g. `2026-11-24` or `2026-11-24 08:30`; undefined if it is a plain number. */
  dateOf(stored: string, style: string | undefined, is1904: boolean): string | undefined {
    const format = style === undefined ? undefined : this.#styles[Number(style)];
    return format && dateText(Number(stored), format, is1904);
  }
}

const secondsOfDay = 86_400;
/** 31 December 9999. */
const lastDay = 2_958_465;
const twoDigits = (value: number): string => String(value).padStart(2, '0');

function dateText(
  days: number,
  { date, time, seconds, elapsed }: Shown,
  is1904: boolean,
): string | undefined {
  if (Number.isNaN(days) || days < 0 || days >= lastDay + 1) return undefined;
  // Excel counts a 29 February 1900, which was no day.
  const first = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const unit = seconds ? 1 : 60;
  const total = time ? Math.round((days * secondsOfDay) / unit) * unit : Math.floor(days) * secondsOfDay;
  const hours = Math.floor((elapsed ? total : total % secondsOfDay) / 3_600);
  const clock = [hours, Math.floor(total / 60) % 60, ...(seconds ? [total % 60] : [])]
    .map(twoDigits)
    .join(':');
  return [...(date && !elapsed ? [dayOf(first + total * 1_000)] : []), ...(time ? [clock] : [])].join(' ');
}
