import type { Output } from '../../api/calls.ts';
import { t } from '../../texts/text.ts';

export type Setting = Output<'get-server-settings'>['settings'][number];

/** The settings that have every word of a search in their name, value, source or description. */
export function foundSettings(settings: readonly Setting[], search: string): readonly Setting[] {
  const words = search.toLowerCase().split(/\s+/);
  return settings.filter((setting) => {
    const text = [setting.name, valueText(setting.value), sourceText(setting), setting.description]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** A value as a person writes it. */
export const valueText = (value: unknown): string =>
  value === null || value === undefined
    ? t('not set')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/** Where a setting has its value from: a flag, a variable or a file as a person writes it. */
export const sourceText = ({ origin, source }: Pick<Setting, 'origin' | 'source'>): string =>
  origin === 'default' ? t('default') : origin === 'not set' ? t('not set') : source;

/** How a changed setting takes effect. */
export const effectText = ({ origin, reload }: Pick<Setting, 'origin' | 'reload'>): string =>
  !reload
    ? t('Then restart the server.')
    : origin === 'file'
      ? t('Then run "trivet reload": no restart is needed.')
      : t('In the file it takes effect with "trivet reload"; otherwise restart the server.');

/** How a setting is given another value. */
export function remedyText({ name, origin, source }: Pick<Setting, 'name' | 'origin' | 'source'>): string {
  const variable = `TRIVET_${name.toUpperCase().replaceAll('-', '_')}`;
  const ways = t('--{name}, {variable} or "{name}" in the configuration file', { name, variable });
  switch (origin) {
    case 'flag':
      return t('Change the flag {source} with which the server is started.', { source });
    case 'environment':
      return t('Change the variable {source}.', { source });
    case 'file':
      return t('Change it in the file ({source}).', { source });
    case 'default':
    case 'not set':
      return t('Give {ways}.', { ways });
  }
}
