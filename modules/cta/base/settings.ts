import { perHost } from '../../../core/host/host.ts';
import type { SettingTable } from '../../../core/settings/settings.ts';

const day = 86_400;

export const ctaSettings = {
  'cta-require-token': {
    type: 'boolean',
    description: "Reject requests of the client API without the user's own bearer token.",
  },
  'cta-ignore-foreign-token': {
    type: 'boolean',
    description:
      'Treat a request of the client API whose Authorization is not a token of this server as a request without one: for apps that send a token of their own.',
  },
  // 500 a second use about a fifth of a core. Users of one mobile network may share an address.
  'rate-cta': {
    reload: true,
    type: 'integer',
    default: 30_000,
    minimum: 0,
    maximum: 10_000_000,
    description: 'Requests without a token per minute of one client address; 0: no limit.',
  },
  // 2,000 a second are less than half of the capacity of one process, so one tenant leaves room for the others.
  'rate-cta-tenant': {
    reload: true,
    type: 'integer',
    default: 120_000,
    minimum: 0,
    maximum: 100_000_000,
    description: 'Requests without a token per minute for one tenant; 0: no limit.',
  },
  'cta-state-quota': {
    reload: true,
    type: 'integer',
    default: 4_096,
    minimum: 0,
    maximum: 100_000_000,
    description:
      'Max MiB of user states of a tenant: above it new users are not stored, above twice as much no state grows; 0: no limit.',
  },
  'cta-state-keep': {
    reload: true,
    type: 'integer',
    unit: 'seconds kept',
    default: 400 * day,
    minimum: 0,
    maximum: 36_500 * day,
    description: "Seconds that a user's unused CTA state is kept; 0: for ever.",
  },
  'cta-event-quota': {
    reload: true,
    type: 'integer',
    default: 1_024,
    minimum: 0,
    maximum: 100_000_000,
    description:
      'Max MiB of events of a tenant: above it further ones are dropped, neither stored nor counted; 0: no limit.',
  },
  'cta-event-keep': {
    reload: true,
    type: 'integer',
    unit: 'seconds kept',
    default: 90 * day,
    minimum: 0,
    maximum: 36_500 * day,
    description:
      'Seconds that single events are kept; their sums by hour stay. Below 7 days a repeated event may count again. 0: for ever.',
  },
} as const satisfies SettingTable;

/** The values, read once per host because every launch needs some of them. */
export const ctaSettingsOf = perHost(({ config }) => config.read(ctaSettings));
