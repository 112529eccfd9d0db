import { mailAddress } from '../../../core/settings/setting-form.ts';

export const consoleLinkSettings = {
  email: {
    type: 'string',
    value: 'ADDRESS',
    form: mailAddress,
    description: 'Whom the link signs in. An address that nobody has makes a new administrator.',
  },
  'user-id': {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The number of the user, if several members have the address.',
  },
} as const;
