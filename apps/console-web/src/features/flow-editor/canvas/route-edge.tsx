import { ActionIcon } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { BaseEdge, EdgeLabelRenderer, getBezierPath, type Edge, type EdgeProps } from '@xyflow/react';
import { useTranslation } from 'react-i18next';
import { useEditor } from '../editor-context';
import type { RouteEdge as Route } from '../model/graph';
import { NODE_WIDTH, type Position } from '../model/layout';

/** An edge of React Flow for a route. `wasTaken` = by the debug run that is shown; `bends` = as in `Layout.bends`. */
export type RouteFlowEdge = Edge<{ route: Route; wasTaken: boolean; bends: readonly Position[] }, 'route'>;

/** Characters of a condition that the label of its route shows. */
const MAX_CONDITION_LENGTH = 60;

export function RouteLine(props: EdgeProps<RouteFlowEdge>) {
  const { t } = useTranslation('flow-editor');
  const { openPalette, store, canEdit } = useEditor();
  const { data, selected, sourceX, sourceY, targetX, targetY } = props;
  if (!data) return null;
  const { route, wasTaken, bends } = data;
  const isBack = props.source === props.target || targetX < sourceX;
  const [path, labelX, labelY] = isBack
    ? backwardPath(sourceX, sourceY, targetX, targetY)
    : bends.length > 0
      ? bentPath({ x: sourceX, y: sourceY }, bends, { x: targetX, y: targetY })
      : getBezierPath(props);
  // In the automatic layout a route without bends leads to the next column, and the steps beside it would cover a longer label.
  const isShort = !isBack && bends.length === 0;
  const classes = [
    'route-edge',
    `kind-${route.kind}`,
    wasTaken && 'was-taken',
    route.isNeverTaken && 'is-never',
    selected && 'is-selected',
  ];
  const label = labelOf(route);
  return (
    <>
      <BaseEdge
        id={props.id}
        path={path}
        markerEnd={props.markerEnd}
        className={classes.filter(Boolean).join(' ')}
        interactionWidth={24}
      />
      <EdgeLabelRenderer>
        <div
          className="route-label-place"
          style={{
            transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)`,
          }}
        >
          {label !== '' && (
            <button
              type="button"
              tabIndex={-1}
              className={`route-label nodrag nopan ${isShort ? 'is-short ' : ''}${classes.filter(Boolean).join(' ')}`}
              title={route.when}
              onClick={() => store.show(route.source, `/${route.kind}/${route.at.index}/when`)}
            >
              {label}
            </button>
          )}
          {canEdit && (
            <ActionIcon
              className="route-add nodrag nopan"
              size={18}
              radius="xl"
              variant="default"
              tabIndex={-1}
              aria-label={t('canvas.addInto', {
                from: route.source,
                to: route.target,
              })}
              onClick={() =>
                openPalette({
                  kind: 'into',
                  step: route.source,
                  routes: route.kind,
                  index: route.at.index,
                })
              }
            >
              <IconPlus size={12} aria-hidden />
            </ActionIcon>
          )}
        </div>
      </EdgeLabelRenderer>
    </>
  );

  function labelOf({ order, when, kind }: Route): string {
    const number = order === undefined ? '' : `${order}. `;
    if (when !== undefined)
      return `${number}${when.length > MAX_CONDITION_LENGTH ? `${when.slice(0, MAX_CONDITION_LENGTH)}…` : when}`;
    if (kind === 'onError') return `${number}${t('canvas.onError')}`;
    return order === undefined ? '' : `${number}${t('canvas.always')}`;
  }
}

/** The SVG path of a route that leads back, and the place of its label. It runs below its two steps, so that they do not hide it. */
function backwardPath(fromX: number, fromY: number, toX: number, toY: number): [string, number, number] {
  const depth = Math.max(fromY, toY) + 90;
  const path = `M ${fromX},${fromY} C ${fromX + 70},${fromY} ${fromX + 70},${depth} ${fromX},${depth} L ${toX},${depth} C ${toX - 70},${depth} ${toX - 70},${toY} ${toX},${toY}`;
  return [path, (fromX + toX) / 2, depth];
}

/** The SVG path of a route around other steps, and the place of its label: straight across a column of steps, bent between columns. */
function bentPath(from: Position, bends: readonly Position[], to: Position): [string, number, number] {
  const pieces: string[] = [`M ${from.x},${from.y}`];
  let last = from;
  for (const { x, y } of bends) {
    pieces.push(curve(last, { x, y }), `L ${x + NODE_WIDTH},${y}`);
    last = { x: x + NODE_WIDTH, y };
  }
  pieces.push(curve(last, to));
  const [first = from] = bends;
  return [pieces.join(' '), first.x + NODE_WIDTH / 2, first.y];
}

function curve(from: Position, to: Position): string {
  const middle = (from.x + to.x) / 2;
  return `C ${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`;
}
