import { personalKeys, storedText, storeText } from '../../api/browser-store.ts';

const key = personalKeys.tenants;
const most = 20;

/** The tenants that were opened in this browser, the last one first. */
export function knownTenants(): readonly string[] {
  try {
    const names: unknown = JSON.parse(storedText(key) ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    // Another program wrote there.
    return [];
  }
}

/** The tenant of the first organization, which every server has. */
export const firstTenant = 'default';

/** The tenant that was opened last in this browser. */
export const lastTenant = (): string => knownTenants()[0] ?? firstTenant;

export const rememberTenant = (tenantId: string): void => keep([tenantId, ...othersThan(tenantId)]);
export const forgetTenant = (tenantId: string): void => keep(othersThan(tenantId));

const othersThan = (tenantId: string) => knownTenants().filter((name) => name !== tenantId);

function keep(names: readonly string[]): void {
  storeText(key, JSON.stringify(names.slice(0, most)));
}
