import type { ReactNode } from 'react';

/** Fields that belong together, with a heading. */
export const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <fieldset className="cta-section stack">
    <legend>{title}</legend>
    {children}
  </fieldset>
);
