import type { DemoStage } from '../../../core/module/module.ts';
import { addLocalMember } from '../../auth/index.ts';

const at = (name: string) => `${name}@shop.example`;

/** Who works in the example. They cannot sign in: an administrator acts as one of them on the machine with `--as`. */
export const people = {
  nadia: at('nadia.farouk'),
  tom: at('tom.becker'),
  aiko: at('aiko.tanaka'),
  luis: at('luis.ortega'),
  maria: at('maria.rossi'),
  sven: at('sven.lindqvist'),
  pia: at('pia.novak'),
  pipeline: at('pipeline'),
} as const;

const members = [
  { email: people.nadia, name: 'Nadia Farouk', role: 'admin' },
  { email: people.tom, name: 'Tom Becker', role: 'member' },
  { email: people.aiko, name: 'Aiko Tanaka', role: 'member' },
  { email: people.luis, name: 'Luis Ortega', role: 'member' },
  { email: people.maria, name: 'Maria Rossi', role: 'member' },
  { email: people.sven, name: 'Sven Lindqvist', role: 'admin' },
  { email: people.pia, name: 'Pia Novak', role: 'reader' },
  { email: people.pipeline, name: 'Pipeline', role: 'member' },
] as const;

export async function addPeople({ host }: Pick<DemoStage, 'host'>): Promise<void> {
  for (const member of members) await addLocalMember(host, member);
}

/** Who tests for a squad. */
export function testerOf(squad: string): string {
  if (squad === 'Checkout') return people.tom;
  return squad === 'Discovery' || squad === 'Mobile' ? people.aiko : people.luis;
}
