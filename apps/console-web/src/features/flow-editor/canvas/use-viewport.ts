import { getViewportForBounds, useReactFlow, useStoreApi, type Rect } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { useEditorState } from '../editor-context';
import type { OpenStep } from '../model/editor-state';
import { nodeID } from './node-id';

export const MIN_ZOOM = 0.1;
/** Below this zoom nobody can read the names of steps. */
export const READABLE_ZOOM = 0.5;
/** The zoom at which a flow is opened that is too large to be read as a whole. */
const PART_ZOOM = 0.75;
const MAX_ZOOM_TO_FIT = 1;
/** Pixels between the border of the canvas and the step to which it moves. */
const MARGIN = 60;
/** The delay lets React Flow measure its container first. */
const FIT_MS = 60;

/**
 * Keeps in view what the user works on. A flow that is readable as a whole is fitted into the canvas when it is opened and when the page
 * lays it out again. A larger one begins at its start, and keeps its zoom: the canvas only moves when it does not show the step whose form
 * is open. After a step was dragged it moves for a form that opens only, so that it stays where the user works.
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
  const first = useRef(flow.start);
  first.current = flow.start;

  useEffect(() => {
    const fit = () => {
      const nodes = getNodes();
      if (nodes.length === 0) return;
      const [isFirst, isOther] = [shown.current === undefined, shown.current !== layout];
      const opens = open !== followed.current;
      shown.current = layout;
      followed.current = open;
      const { width, height } = canvas.getState();
      const whole = getViewportForBounds(getNodesBounds(nodes), width, height, MIN_ZOOM, MAX_ZOOM_TO_FIT, 0.12);
      if (isOther && (isFirst || isLaidOut) && whole.zoom >= READABLE_ZOOM) {
        void setViewport(whole);
        return;
      }
      if (!isFirst && (!open || !(isLaidOut || opens))) return;
      const step = getNodesBounds(nodes.filter(({ id }) => id === nodeID(open?.step ?? first.current)));
      const now = getViewport();
      if (!isFirst && isInside(step, { ...now, width, height })) return;
      const zoom = isFirst ? PART_ZOOM : now.zoom;
      const left = isFirst ? MARGIN : (width - step.width * zoom) / 2;
      void setViewport({ zoom, x: left - step.x * zoom, y: height / 2 - (step.y + step.height / 2) * zoom });
    };
    const timer = setTimeout(fit, FIT_MS);
    return () => clearTimeout(timer);
  }, [layout, isLaidOut, open, canvas, getNodes, getNodesBounds, getViewport, setViewport]);
}

/** Whether a canvas of this size shows the whole rectangle. */
function isInside(rect: Rect, seen: { x: number; y: number; zoom: number; width: number; height: number }): boolean {
  const [left, top] = [rect.x * seen.zoom + seen.x, rect.y * seen.zoom + seen.y];
  const [right, bottom] = [left + rect.width * seen.zoom, top + rect.height * seen.zoom];
  return left >= 0 && top >= 0 && right <= seen.width && bottom <= seen.height;
}
