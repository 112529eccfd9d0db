import type { PrintedSetting } from '../../../core/settings/printed-setting.ts';

export const originKinds = ['flag', 'environment', 'file', 'default', 'not set'] as const;

/** Where a value was given, as one word. */
export function originKind({ name, source }: PrintedSetting): (typeof originKinds)[number] {
  if (source === 'default' || source === 'not set') return source;
  const variable = `TRIVET_${name.toUpperCase().replaceAll('-', '_')}`;
  if (source === `--${name}` || source === `--${name}-file`) return 'flag';
  return source === variable || source === `${variable}_FILE` ? 'environment' : 'file';
}
