import type { Setting, SettingTable } from './settings.ts';

/** Seconds of a unit of time, as Prometheus and Docker write them. */
const unitSeconds = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;

const isUnit = (text: string | undefined): text is keyof typeof unitSeconds =>
  text !== undefined && Object.hasOwn(unitSeconds, text);

/** The seconds of a text such as `400d`, `12h`, `30m`, `90s`; undefined if it is none. */
export function secondsIn(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,10})([dhms])$/.exec(text) ?? [];
  return isUnit(unit) ? Number(number) * unitSeconds[unit] : undefined;
}

/** Seconds in the largest unit in which they are a whole number, e.g. `400d`; 0 stays 0. */
export function settingTime(seconds: number): string {
  const unit = (Object.keys(unitSeconds) as Array<keyof typeof unitSeconds>).find(
    (one) => seconds % unitSeconds[one] === 0,
  );
  return seconds === 0 || unit === undefined ? String(seconds) : `${seconds / unitSeconds[unit]}${unit}`;
}

/** The default of a setting as its reader would write it; '' if it has none. */
export function defaultText(setting: Setting): string {
  if (!('default' in setting) || setting.default === undefined) return '';
  return setting.type === 'integer' && setting.unit
    ? settingTime(Number(setting.default))
    : String(setting.default);
}

/**
 * A warning for each setting by which data are deleted within a day: `--audit-keep 400` are seconds, and whoever meant days would lose
 * the audit log without a word.
 */
export function shortKeeps(
  table: SettingTable,
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.entries(table).flatMap(([name, setting]) => {
    const value = values[name];
    if (setting.type !== 'integer' || setting.unit !== 'seconds kept' || typeof value !== 'number') return [];
    if (value === 0 || value >= unitSeconds.d) return [];
    return [`--${name} is ${value} seconds: what is older is deleted. If you meant days, write ${value}d.`];
  });
}
