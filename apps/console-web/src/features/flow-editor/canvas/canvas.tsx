import '@xyflow/react/dist/base.css';
import './canvas.css';
import {
  Background,
  Controls,
  MarkerType,
  MiniMap,
  ReactFlow,
  type Connection,
  type EdgeChange,
  type NodeChange,
} from '@xyflow/react';
import { useComputedColorScheme } from '@mantine/core';
import { useMemo, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useEditor, useEditorState } from '../editor-context';
import type { RouteKind } from '../../../flow/draft';
import { graphOf } from '../model/graph';
import { GRID_PIXELS, heightOf, layoutOf, NODE_WIDTH, positionsOf, type Position } from '../model/layout';
import { connect, redirect } from '../model/routes';
import { takenRoutes } from '../model/run-path';
import { nodeID } from './node-id';
import { RouteLine, type RouteFlowEdge } from './route-edge';
import { StepBox, type RunMark, type StepFlowNode } from './step-node';
import { MIN_ZOOM, READABLE_ZOOM, useViewport } from './use-viewport';

const nodeTypes = { step: StepBox };
const edgeTypes = { route: RouteLine };
const NOTHING_DRAGGED: ReadonlyMap<string, Position> = new Map();
/** A flow with more steps has a mini map. */
const MAX_STEPS_WITHOUT_MINI_MAP = 12;

/**
 * The steps as nodes and the routes as edges. The canvas is drawn from the store of the editor; every gesture changes the flow, the positions
 * or the selection there.
 */
export function Canvas() {
  const { t } = useTranslation('flow-editor');
  const { store, canEdit } = useEditor();
  const colorMode = useComputedColorScheme('light');
  const [dragged, setDragged] = useState(NOTHING_DRAGGED);
  const { nodes, edges, names } = useDrawing(dragged);
  useViewport();

  const onNodesChange = (changes: NodeChange<StepFlowNode>[]) => {
    const moves = changes.flatMap((change) => {
      const name = change.type === 'position' ? names.get(change.id) : undefined;
      return change.type === 'position' && name !== undefined && change.position
        ? [
            {
              name,
              position: change.position,
              isOver: change.dragging !== true,
            },
          ]
        : [];
    });
    if (moves.length > 0) {
      const positions = new Map(moves.map(({ name, position }) => [name, position]));
      if (moves.every(({ isOver }) => isOver)) {
        store.move(positions);
        setDragged(NOTHING_DRAGGED);
      } else setDragged(positions);
    }
    const choices = changes.flatMap((change) => (change.type === 'select' ? [change] : []));
    if (choices.length === 0) return;
    const selected = new Set(store.getState().selected);
    for (const { id, selected: isSelected } of choices) {
      const name = names.get(id);
      if (name === undefined) continue;
      if (isSelected) selected.add(name);
      else selected.delete(name);
    }
    store.select([...selected]);
  };
  const onEdgesChange = (changes: EdgeChange<RouteFlowEdge>[]) => {
    for (const change of changes) {
      if (change.type !== 'select') continue;
      const route = edges.find(({ id }) => id === change.id)?.data?.route.at;
      if (change.selected) store.selectRoute(route);
      else if (store.getState().selectedRoute) store.selectRoute(undefined);
    }
  };
  const kindOf = (handle: string | null): RouteKind => (handle === 'onError' ? 'onError' : 'routes');
  const onConnect = ({ source, target, sourceHandle }: Connection) => {
    const [from, to] = [names.get(source), names.get(target)];
    if (from === undefined || to === undefined) return;
    store.change(connect(store.flow, from, kindOf(sourceHandle), to));
  };
  const onReconnect = (edge: RouteFlowEdge, { source, target }: Connection) => {
    const [from, to] = [names.get(source), names.get(target)];
    const at = edge.data?.route.at;
    if (at && to !== undefined && from === at.step) store.change(redirect(store.flow, at, to));
  };
  /** Enter opens the form of the focused step; React Flow itself moves and selects with the keyboard. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement)) return;
    const name = names.get(event.target.dataset['id'] ?? '');
    if (name === undefined) return;
    // When nothing is selected, Delete removes the focused step. The focus then goes on to the next step, which a held key must not remove too.
    const deletes = (event.key === 'Delete' || event.key === 'Backspace') && !event.repeat;
    if (deletes && store.getState().selected.length === 0) store.select([name]);
    if (event.key !== 'Enter') return;
    event.preventDefault();
    store.show(name);
  };
  return (
    <div className="flow-canvas" data-testid="canvas" onKeyDown={onKeyDown} role="presentation">
      <ReactFlow<StepFlowNode, RouteFlowEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        colorMode={colorMode}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onConnect={onConnect}
        onReconnect={onReconnect}
        onNodeDoubleClick={(_, node) => store.show(node.data.step.name)}
        onNodeClick={(event, node) => {
          if (!event.shiftKey && !event.ctrlKey && !event.metaKey) store.show(node.data.step.name);
        }}
        onPaneClick={() => store.select([])}
        // React Flow's own delete key is off, because a deletion also changes routes; useShortcuts handles the key.
        deleteKeyCode={null}
        nodesDraggable={canEdit}
        nodesConnectable={canEdit}
        edgesReconnectable={canEdit}
        connectionRadius={40}
        snapToGrid
        snapGrid={[GRID_PIXELS, GRID_PIXELS]}
        minZoom={MIN_ZOOM}
        maxZoom={1.6}
        fitView
        fitViewOptions={{ minZoom: READABLE_ZOOM, maxZoom: 1, padding: 0.15 }}
        selectionOnDrag={false}
        multiSelectionKeyCode={['Control', 'Meta', 'Shift']}
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={{
          'node.a11yDescription.default': t(canEdit ? 'canvas.keys' : 'canvas.viewKeys'),
          'node.a11yDescription.keyboardDisabled': t(canEdit ? 'canvas.keys' : 'canvas.viewKeys'),
          'edge.a11yDescription.default': canEdit ? t('canvas.edgeKeys') : '',
          'controls.ariaLabel': t('canvas.controls'),
          'controls.zoomIn.ariaLabel': t('canvas.zoomIn'),
          'controls.zoomOut.ariaLabel': t('canvas.zoomOut'),
          'controls.fitView.ariaLabel': t('canvas.fit'),
          'minimap.ariaLabel': t('canvas.miniMap'),
        }}
      >
        <Background gap={20} size={1} />
        <Controls showInteractive={false} />
        {nodes.length > MAX_STEPS_WITHOUT_MINI_MAP && <MiniMap pannable zoomable />}
      </ReactFlow>
    </div>
  );
}

/**
 * The nodes and edges for React Flow, marked with the visits of a debug run, and the `names` of steps by node id.
 * `dragged` = positions during a drag.
 */
function useDrawing(dragged: ReadonlyMap<string, Position>) {
  const { t } = useTranslation('flow-editor');
  const { problems, visits } = useEditor();
  const { history, selected, selectedRoute } = useEditorState();
  const { flow, moved } = history.present;
  const graph = useMemo(() => graphOf(flow), [flow]);
  const positions = useMemo(() => positionsOf(flow, moved), [flow, moved]);
  // Routes bend around steps only while no step was moved by hand.
  const bends = useMemo(
    () => (moved.size === 0 && dragged.size === 0 ? layoutOf(flow).bends : undefined),
    [flow, moved, dragged],
  );
  const marks = useMemo(() => marksOf(visits), [visits]);
  const taken = useMemo(() => takenRoutes(visits), [visits]);
  const nodes = useMemo(
    () =>
      graph.nodes.map((step): StepFlowNode => {
        const own = problems.filter((problem) => problem.step === step.name);
        const type = t(`types.${step.type}.name`, { defaultValue: step.type });
        return {
          id: nodeID(step.name),
          type: 'step',
          position: dragged.get(step.name) ?? positions.get(step.name) ?? { x: 0, y: 0 },
          width: NODE_WIDTH,
          height: heightOf(step.exits.length),
          selected: selected.includes(step.name),
          ariaLabel: t('canvas.step', { name: step.name, type }),
          data: {
            step,
            problems: own.filter(({ severity }) => severity === 'error').length,
            warnings: own.filter(({ severity }) => severity === 'warning').length,
            run: marks.get(step.name),
          },
        };
      }),
    [graph, positions, dragged, selected, problems, marks, t],
  );
  const edges = useMemo(
    () =>
      graph.edges.map((route): RouteFlowEdge => ({
        id: route.id,
        type: 'route',
        source: nodeID(route.source),
        target: nodeID(route.target),
        sourceHandle: route.kind,
        selected:
          selectedRoute !== undefined &&
          route.at.step === selectedRoute.step &&
          route.kind === selectedRoute.kind &&
          route.at.index === selectedRoute.index,
        ariaLabel: t('canvas.route', { from: route.source, to: route.target }),
        markerEnd: {
          type: MarkerType.ArrowClosed,
          width: 18,
          height: 18,
          markerUnits: 'userSpaceOnUse',
          color: route.kind === 'onError' ? 'var(--edge-error)' : 'var(--edge)',
        },
        data: {
          route,
          bends: bends?.get(route.id) ?? [],
          wasTaken: taken.some(
            ({ from, to, afterFailure }) =>
              from === route.source && to === route.target && afterFailure === (route.kind === 'onError'),
          ),
        },
      })),
    [graph, selectedRoute, taken, bends, t],
  );
  const names = useMemo(() => new Map(graph.nodes.map(({ name }) => [nodeID(name), name])), [graph]);
  return { nodes, edges, names };
}

/** The mark of each step that the run visited, by name. */
function marksOf(visits: ReturnType<typeof useEditor>['visits']): Map<string, RunMark> {
  const marks = new Map<string, RunMark>();
  for (const [index, { step, state }] of visits.entries()) {
    const before = marks.get(step);
    marks.set(step, {
      state,
      order: before?.order ?? index + 1,
      visits: (before?.visits ?? 0) + 1,
    });
  }
  return marks;
}
