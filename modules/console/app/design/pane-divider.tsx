import { useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { changeAppearance, panelWidths, useAppearance } from './appearance.ts';

const { least, most } = panelWidths;
/** What an arrow key moves, in pixels. */
const step = 16;

const bounded = (width: number): number => Math.round(Math.min(most, Math.max(least, width)));

/** The style of what contains a panel: its width, if the person has chosen one. */
export function usePanelWidth(): React.CSSProperties {
  const { panelWidth } = useAppearance();
  return panelWidth === null ? {} : ({ '--panel-width': `${panelWidth}px` } as React.CSSProperties);
}

/** The line between a list and the panel beside it. It is drawn by the pointer or moved by the arrow keys, and stays where it was put. */
export function PaneDivider({ label }: { readonly label: string }) {
  const { panelWidth } = useAppearance();
  const line = useRef<HTMLDivElement>(null);
  const widthNow = () => line.current?.nextElementSibling?.getBoundingClientRect().width ?? least;
  const set = (width: number) => changeAppearance({ panelWidth: bounded(width) });
  const drag = ({ clientX, currentTarget, pointerId, buttons }: PointerEvent<HTMLDivElement>) => {
    if (buttons !== 1 || !currentTarget.hasPointerCapture(pointerId)) return;
    const panel = currentTarget.nextElementSibling?.getBoundingClientRect();
    if (panel) set(panel.right - clientX);
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: step, ArrowRight: -step }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(widthNow() + by);
  };
  return (
    <div
      ref={line}
      className="pane-divider"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={panelWidth ?? least}
      tabIndex={0}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={drag}
      onDoubleClick={() => changeAppearance({ panelWidth: null })}
      onKeyDown={press}
    />
  );
}
