/** The tools whose answers a change of a CTA changes. */
export const ctaReads = ['list-ctas', 'get-cta', 'list-cta-versions', 'list-cta-status-changes'] as const;
