const key = 'trivet-tenants';
const most = 20;

/** The tenants that were opened in this browser, the last one first. */
export function knownTenants(): readonly string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    // Another program wrote there, or the browser stores nothing.
    return [];
  }
}

export const rememberTenant = (tenantId: string): void => keep([tenantId, ...othersThan(tenantId)]);
export const forgetTenant = (tenantId: string): void => keep(othersThan(tenantId));

const othersThan = (tenantId: string) => knownTenants().filter((name) => name !== tenantId);

function keep(names: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(names.slice(0, most)));
  } catch {
    // Without storage only the address keeps the tenant.
  }
}
