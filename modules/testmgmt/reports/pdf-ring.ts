import type { StatusCounts } from '../rules/test-status.ts';
import { arcsOf, type Arc } from './run-report.ts';

/** `#14693a` as a colour of PDF: three numbers from 0 to 1. */
export const paint = (colour: string): string =>
  [1, 3, 5].map((at) => (Number.parseInt(colour.slice(at, at + 2), 16) / 255).toFixed(3)).join(' ');

/** The ring of a report as PDF operators. */
export function ring(counts: StatusCounts, x: number, y: number): string {
  const radius = 60;
  const drawn = ({ from, share, colour }: Arc) => {
    // A curve approximates a circle well for one eighth of it.
    const steps = Math.max(1, Math.ceil(share * 8));
    const at = (turn: number) => Math.PI / 2 - 2 * Math.PI * turn;
    const point = (angle: number, along: number) =>
      [
        x + radius * Math.cos(angle) + along * radius * Math.sin(angle),
        y + radius * Math.sin(angle) - along * radius * Math.cos(angle),
      ]
        .map((value) => value.toFixed(3))
        .join(' ');
    const reach = (4 / 3) * Math.tan((Math.PI * share) / steps / 2);
    const curves = Array.from({ length: steps }, (_, step) => {
      const [a, b] = [at(from + (share * step) / steps), at(from + (share * (step + 1)) / steps)];
      return `${point(a, reach)} ${point(b, -reach)} ${point(b, 0)} c`;
    });
    return `${paint(colour)} RG 32 w ${point(at(from), 0)} m ${curves.join(' ')} S`;
  };
  return arcsOf(counts).map(drawn).join('\n');
}
