import type { Output } from '../../api/calls.ts';
import { countText } from '../../design/amount.ts';
import { manyText, noun, t } from '../../texts/text.ts';

export type TenantLimits = NonNullable<Output<'get-delivery-limits'>['global']>;

/** The fields of the limits as a person types them; empty: no limit. */
interface TypedLimits {
  readonly gap: string;
  readonly unit: string;
  readonly perDay: string;
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** Seconds, the largest first. */
const units = [
  ['hour', 3_600, noun('hour')],
  ['minute', 60, noun('minute')],
  ['second', 1, noun('second')],
] as const;

export const unitOptions = units.map(([id, , of]) => ({ id, name: manyText(of) })).toReversed();

/** The largest unit of which it is a whole number. */
function gapOf(seconds: number): readonly [count: number, unit: string] {
  const [unit, length] = units.find(([, one]) => seconds % one === 0) ?? ['second', 1];
  return [seconds / length, unit];
}

/** Each limit in words; none for an empty list. */
export function limitTexts(limits: TenantLimits | null): readonly string[] {
  const { minGapSeconds = 0, perDay = 0, quietHours } = limits ?? {};
  return [
    ...(perDay > 0 ? [t('at most {perDay} in 24 hours', { perDay })] : []),
    ...(minGapSeconds > 0 ? [t('{count} between two', { count: countText(...gapOf(minGapSeconds)) })] : []),
    ...(quietHours ? [t('none from {from} to {to}', { from: quietHours.from, to: quietHours.to })] : []),
  ];
}

/** @param timeZone of the browser: a first proposal. */
export function typedOf(limits: TenantLimits | null, timeZone: string): TypedLimits {
  const { minGapSeconds = 0, perDay = 0, quietHours } = limits ?? {};
  const [count, unit] = gapOf(minGapSeconds);
  return {
    gap: minGapSeconds === 0 ? '' : String(count),
    unit: minGapSeconds === 0 ? 'minute' : unit,
    perDay: perDay === 0 ? '' : String(perDay),
    from: quietHours?.from ?? '',
    to: quietHours?.to ?? '',
    timeZone: quietHours?.timeZone ?? timeZone,
  };
}

/** The fields of one limit. */
const parts = [['perDay'], ['gap', 'unit'], ['from', 'to', 'timeZone']] as const;

/** The limits that a person changed, and the others as they are now. @param read what the person began with. */
export const mergedLimits = (read: TypedLimits, typed: TypedLimits, now: TypedLimits): TypedLimits =>
  Object.assign(
    { ...now },
    ...parts.map((names) =>
      names.some((name) => typed[name] !== read[name])
        ? Object.fromEntries(names.map((name) => [name, typed[name]]))
        : {},
    ),
  );

/** As the server takes them; undefined: no limit at all. A word that is no number is left for the server to refuse. */
export function limitsOf({ gap, unit, perDay, from, to, timeZone }: TypedLimits): TenantLimits | undefined {
  const length = units.find(([id]) => id === unit)?.[1] ?? 1;
  const limits = {
    ...(gap.trim() !== '' && { minGapSeconds: Number(gap) * length }),
    ...(perDay.trim() !== '' && { perDay: Number(perDay) }),
    ...((from !== '' || to !== '') && { quietHours: { from, to, timeZone } }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}
