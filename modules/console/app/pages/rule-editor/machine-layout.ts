import { Graph, layout } from '@dagrejs/dagre';
import { countText } from '../../design/amount.ts';
import type { Json } from './json-path.ts';
import {
  filterText,
  initialState,
  statesOf,
  transitionsOf,
  type DrawnState,
  type DrawnTransition,
} from './rule-edits.ts';
import { stateName } from './state-name.ts';
import { t } from '../../texts/text.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

interface PlacedState extends Box {
  readonly state: DrawnState;
  readonly lines: readonly string[];
}

interface PlacedTransition {
  readonly transition: DrawnTransition;
  readonly lines: readonly string[];
  /** The line from state to state, as an SVG path. */
  readonly line: string;
  readonly label: Box;
}

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly transitions: readonly PlacedTransition[];
}

/** Characters of a line of text, and its size in pixels at the size of the drawing. */
const [mostCharacters, characterWidth, lineHeight] = [28, 6.8, 17];

const cut = (text: string): string =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text;

const sizeOf = (lines: readonly string[], padding: number) => ({
  width: Math.max(...lines.map(({ length }) => length)) * characterWidth + 2 * padding,
  height: lines.length * lineHeight + padding,
});

/** The label of a state: its name, its number, its actions, and whether it is initial or final. */
const stateLines = (
  rule: Json,
  { state, actionId, isReset }: DrawnState,
  users: number | undefined,
): readonly string[] =>
  [
    stateName(rule, state),
    `${state}${state === initialState ? t(' · start') : ''}${isReset ? t(' · reset') : ''}`,
    actionId === null ? '' : `▶ ${actionId}`,
    users === undefined ? '' : countText(users, 'user'),
  ]
    .filter((line) => line !== '')
    .map(cut);

const transitionLines = ({ event, filters }: DrawnTransition): readonly string[] => {
  const condition = filterText(filters);
  return [event, condition === '' ? '' : t('if {condition}', { condition })]
    .filter((line) => line !== '')
    .map(cut);
};

/** The layout of a state machine, from top to bottom. @param users how many users ever were in a state. */
export function drawingOf(rule: Json, users: ReadonlyMap<string, number> = new Map()): Drawing {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 36, edgesep: 24, ranksep: 44, marginx: 16, marginy: 16 });
  const states = statesOf(rule).map((state) => ({
    state,
    lines: stateLines(rule, state, users.get(state.state)),
  }));
  const transitions = transitionsOf(rule)
    .filter(({ to }) => to !== '')
    .map((transition) => ({ transition, lines: transitionLines(transition) }));
  for (const { state, lines } of states) graph.setNode(state.state, sizeOf(lines, 16));
  for (const [index, { transition, lines }] of transitions.entries())
    graph.setEdge(transition.from, transition.to, { ...sizeOf(lines, 6), labelpos: 'c' }, String(index));
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<Box>;
  return {
    width,
    height,
    states: states.map(({ state, lines }) => ({ state, lines, ...(graph.node(state.state) as Box) })),
    transitions: transitions.map(({ transition, lines }, index) => {
      const edge = graph.edge({ v: transition.from, w: transition.to, name: String(index) }) as Box & {
        readonly points: readonly Point[];
      };
      return {
        transition,
        lines,
        line: lineThrough(edge.points),
        label: { x: edge.x, y: edge.y, width: edge.width, height: edge.height },
      };
    }),
  };
}

/** A curve that begins at the first point, ends at the last, and bends at those between. */
export function lineThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  const at = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? last;
    const end = next === last ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q ${at(point)} ${at(end)}`;
  });
  return [`M ${at(first)}`, ...(bends.length > 0 ? bends : [`L ${at(last)}`])].join(' ');
}
