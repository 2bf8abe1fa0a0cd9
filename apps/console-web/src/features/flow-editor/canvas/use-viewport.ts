import { getViewportForBounds, useReactFlow, useStore, useStoreApi, type Rect, type Viewport } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { useEditorState } from '../editor-context';
import type { OpenStep } from '../model/editor-state';
import { nodeID } from './node-id';

export const MIN_ZOOM = 0.1;
/** The smallest zoom at which the names of steps can be read. */
export const READABLE_ZOOM = 0.5;
/** The zoom at which the editor opens a flow that is too large to be read as a whole. */
const LARGE_FLOW_ZOOM = 0.75;
const MAX_ZOOM_TO_FIT = 1;
/** Pixels between the left border of the canvas and the start of a large flow, or the step whose form is open, when the flow opens. */
const MARGIN = 60;
/** The delay before the viewport is set, in which React Flow measures its container. */
const FIT_DELAY_MS = 60;

/**
 * Keeps in view what the user works on. A flow that is readable as a whole is fitted into the canvas when it is opened and when the page
 * lays it out again. A larger one begins at its start, and keeps its zoom: the canvas only moves when it does not show the step whose form
 * is open. Once the user has dragged a step, it moves only when a form opens, so that it stays where the user works. A canvas of another size,
 * such as that of a phone that is turned, shows the flow as if it were opened again when no step is wholly in view.
 */
export function useViewport(): void {
  const { getNodesBounds, getNodes, getViewport, setViewport } = useReactFlow();
  const canvas = useStoreApi();
  const { history, open } = useEditorState();
  const { flow, moved } = history.present;
  const isLaidOut = moved.size === 0;
  // The open form takes a part of the canvas's width.
  const layout = `${isLaidOut ? flow.steps.length : 'by hand'} ${open !== undefined}`;
  const shown = useRef<string>(undefined);
  const followed = useRef<OpenStep>(undefined);
  const size = useStore(({ width, height }) => `${width}x${height}`);
  const shownSize = useRef<string>(undefined);
  const first = useRef(flow.start);
  first.current = flow.start;

  useEffect(() => {
    const fit = () => {
      const nodes = getNodes();
      if (nodes.length === 0) return;
      const { width, height } = canvas.getState();
      const isResized = shownSize.current !== undefined && shownSize.current !== size;
      shownSize.current = size;
      const seen = { ...getViewport(), width, height };
      if (isResized && !nodes.some((node) => isInside(getNodesBounds([node]), seen))) shown.current = undefined;
      const [isFirst, isOther] = [shown.current === undefined, shown.current !== layout];
      const opens = open !== followed.current;
      shown.current = layout;
      followed.current = open;
      const whole = getViewportForBounds(getNodesBounds(nodes), width, height, MIN_ZOOM, MAX_ZOOM_TO_FIT, 0.12);
      if (isOther && (isFirst || isLaidOut) && whole.zoom >= READABLE_ZOOM) {
        void setViewport(whole);
        return;
      }
      if (!isFirst && (!open || !(isLaidOut || opens))) return;
      const step = getNodesBounds(nodes.filter(({ id }) => id === nodeID(open?.step ?? first.current)));
      if (!isFirst && isInside(step, seen)) return;
      const zoom = isFirst ? LARGE_FLOW_ZOOM : seen.zoom;
      const left = isFirst ? MARGIN : (width - step.width * zoom) / 2;
      void setViewport({ zoom, x: left - step.x * zoom, y: height / 2 - (step.y + step.height / 2) * zoom });
    };
    const timer = setTimeout(fit, FIT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [layout, isLaidOut, open, size, canvas, getNodes, getNodesBounds, getViewport, setViewport]);
}

/** The viewport and the size of a canvas. */
interface Seen extends Viewport {
  width: number;
  height: number;
}

/** Whether the canvas shows the whole rectangle. */
function isInside({ x, y, width, height }: Rect, seen: Seen): boolean {
  const [left, top] = [x * seen.zoom + seen.x, y * seen.zoom + seen.y];
  return left >= 0 && top >= 0 && left + width * seen.zoom <= seen.width && top + height * seen.zoom <= seen.height;
}
