import type { ReactNode } from 'react';

interface FactsProps {
  readonly of: ReadonlyArray<{ readonly name: string; readonly value: ReactNode }>;
}

/** Names with their values, e.g. the details of an entry. */
export const Facts = ({ of }: FactsProps) => (
  <dl className="fact-list">
    {of.map(({ name, value }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd className="wrap">{value}</dd>
      </div>
    ))}
  </dl>
);
