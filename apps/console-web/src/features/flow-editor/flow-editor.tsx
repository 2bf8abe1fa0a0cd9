import { Alert, Anchor, Badge, Button, Drawer, Group, Skeleton, Text, Title } from '@mantine/core';
import { useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import { Suspense, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorAnswer, FlowAnswer, ProcessAnswer } from '../../api/generated/console-api';
import { EmptyState } from '../../common/empty-state';
import { lazyPart } from '../../common/lazy-part';
import { showRefusalNotification } from '../../common/notify';
import { matrixQuery } from '../processes/matrix/queries';
import { allowedKeysQuery } from '../processes/overview/queries';
import { Canvas } from './canvas/canvas';
import { RunBar } from './debug/run-bar';
import { useDebugRun } from './debug/use-debug-run';
import { EditorProvider, type Editor, type PaletteTarget } from './editor-context';
import { stepNamed } from '../../flow/draft';
import type { EditorStore } from './model/editor-store';
import { messageOfRefusedText } from './model/flow-text';
import { notJsonProblems } from './model/problems';
import { variablesAt } from './model/variables';
import { Palette } from './palette';
import { PublishedNotice } from './published-notice';
import { Toolbar, type View } from './toolbar';
import { useProblems } from './use-problems';
import { useSaving } from './use-saving';
import { useShortcuts } from './use-shortcuts';
import { ListView } from './views/list-view';
import { ProblemsList } from './views/problems-list';

/** The delay from the first display of the editor until the parts that the canvas does not need are preloaded. */
const PRELOAD_DELAY_MS = 2_000;

// The code editor and other parts that the canvas does not need are most of the script, so they are loaded after the canvas.
const loadParts = () => import('./later-parts');
const StepPanel = lazyPart(async () => (await loadParts()).StepPanel);
const TextView = lazyPart(async () => (await loadParts()).TextView);
const CompareTab = lazyPart(async () => (await loadParts()).CompareTab);
const DebugDialog = lazyPart(async () => (await loadParts()).DebugDialog);
const ConflictDialog = lazyPart(async () => (await loadParts()).ConflictDialog);

interface FlowEditorProps {
  pid: string;
  process: ProcessAnswer;
  /** The stored flow as it was read when the editor opened, with its problems. */
  read: FlowAnswer;
  connectors: readonly ConnectorAnswer[];
  store: EditorStore;
}

export function FlowEditor({ pid, process, read, connectors, store }: FlowEditorProps) {
  const { processName } = process;
  const { t } = useTranslation('flow-editor');
  useDocumentTitle(`${t('title')} · ${processName} · Batuta`);
  const isNarrow =
    useMediaQuery('(max-width: 62em)', false, {
      getInitialValueInEffect: false,
    }) ?? false;
  const state = useSyncExternalStore(store.subscribe, store.getState);
  const { flow, brokenText } = state.history.present;
  const [view, setView] = useState<View>(brokenText ? 'text' : isNarrow ? 'list' : 'canvas');
  const shownView = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState<PaletteTarget>();
  const [isDebugging, setDebugging] = useState(false);
  const wasDebugging = useHasBeenTrue(isDebugging);
  const [debugRun, setDebugRun] = useState<string>();
  const { problems: reported } = useProblems(pid, flow, read);
  const { brokenFields } = state;
  const problems = useMemo(
    () => [
      ...notJsonProblems(brokenFields, flow, (text) => messageOfRefusedText(text, t, t('form.notJson'))),
      ...reported,
    ],
    [brokenFields, flow, reported, t],
  );
  const { run, visits } = useDebugRun(debugRun);
  const saving = useSaving(pid, store);
  const hadConflict = useHasBeenTrue(saving.conflict !== undefined);
  const variables = useVariables(pid, connectors, store);
  const types = useMemo(() => new Set<string>(connectors.map(({ type }) => type)), [connectors]);
  const does = useMemo(
    () => ({
      save: () => void saving.save(),
      showRefusal: (reason: string) => showRefusalNotification(t(`paste.${reason}`)),
    }),
    [saving.save, t],
  );
  useShortcuts(store, types, does);
  useEffect(() => {
    const timer = setTimeout(() => void loadParts().catch(() => undefined), PRELOAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);

  const editor = useMemo(
    (): Editor => ({
      pid,
      store,
      connectors,
      problems,
      variablesAt: variables,
      visits,
      openPalette: setTarget,
      canEdit: true,
    }),
    [pid, store, connectors, problems, variables, visits],
  );
  const openText = () => {
    // Otherwise `useKeptFocus` would move the focus from the button, which goes, to the toolbar.
    shownView.current?.focus({ preventScroll: true });
    setView('text');
  };
  const hasProblems = problems.some(({ severity }) => severity === 'error');
  const open = state.open && stepNamed(flow, state.open.step) ? state.open.step : undefined;
  const showsPanel = open !== undefined && (view === 'canvas' || view === 'list');
  const isEmpty = flow.steps.length === 0 && !brokenText && (view === 'canvas' || view === 'list');
  return (
    <EditorProvider value={editor}>
      <div className="flow-editor">
        <Group gap="xs">
          <Anchor size="sm" renderRoot={(props) => <Link to="/processes/$pid" params={{ pid }} {...props} />}>
            {processName}
          </Anchor>
          <Text size="sm" aria-hidden>
            ›
          </Text>
          <Title order={1} size="h4">
            {t('title')}
          </Title>
          <Badge
            variant="light"
            color={store.isChanged ? 'orange' : 'gray'}
            tt="none"
            className="saved-state"
            role="status"
          >
            {t(store.isChanged ? 'state.changed' : 'state.saved')}
          </Badge>
        </Group>
        <Toolbar
          view={view}
          setView={setView}
          canAdd={!isEmpty}
          isSaving={saving.isSaving}
          isPublishing={saving.isPublishing}
          canPublish={!hasProblems && flow.steps.length > 0}
          onSave={() => void saving.save()}
          onPublish={() => void saving.publish()}
          onDebug={() => setDebugging(true)}
        />
        {saving.publication && (
          <PublishedNotice process={process} publication={saving.publication} onClose={saving.forgetPublication} />
        )}
        {debugRun !== undefined && <RunBar iid={debugRun} run={run} onClose={() => setDebugRun(undefined)} />}
        {brokenText && view !== 'text' && (
          <Alert color="red" p="xs" role="status">
            <Group gap="sm">
              <Text size="sm">{t('text.elsewhere')}</Text>
              <Button size="xs" variant="default" onClick={openText}>
                {t('text.open')}
              </Button>
            </Group>
          </Alert>
        )}
        <div className="flow-editor-body">
          <div className="flow-editor-view" ref={shownView} role="group" aria-label={t(`views.${view}`)} tabIndex={-1}>
            {isEmpty ? (
              <EmptyState
                title={t('empty.title')}
                text={t('empty.text')}
                action={<Button onClick={() => setTarget({ kind: 'free' })}>{t('empty.action')}</Button>}
              />
            ) : (
              <Suspense fallback={<PartLoads />}>
                <ShownView view={view} />
              </Suspense>
            )}
          </div>
          {showsPanel && !isNarrow && (
            <div className="flow-editor-panel">
              <Suspense fallback={<PartLoads />}>
                <StepPanel />
              </Suspense>
            </div>
          )}
        </div>
        {problems.length > 0 && view !== 'compare' && <ProblemsList />}
      </div>
      <Drawer
        opened={showsPanel && isNarrow}
        onClose={() => store.closeForm()}
        position="bottom"
        size="92%"
        withCloseButton={false}
        title={t('panel.drawer')}
        styles={{ body: { height: 'calc(100% - 60px)' } }}
      >
        <Suspense fallback={<PartLoads />}>
          <StepPanel />
        </Suspense>
      </Drawer>
      <Palette target={target} onClose={() => setTarget(undefined)} />
      <Suspense fallback={null}>
        {wasDebugging && (
          <DebugDialog
            pid={pid}
            process={process}
            opened={isDebugging}
            onClose={() => setDebugging(false)}
            save={saving.save}
            onStarted={setDebugRun}
          />
        )}
        {hadConflict && (
          <ConflictDialog
            conflict={saving.conflict}
            mine={flow}
            onMine={() => void saving.overwrite()}
            onTheirs={saving.takeTheirs}
            onClose={saving.forgetConflict}
          />
        )}
      </Suspense>
    </EditorProvider>
  );
}

/** Shown in place of a part of the editor while its script loads. */
function PartLoads() {
  return <Skeleton height={200} role="status" aria-busy="true" />;
}

/** Whether the value is or has been true: a dialog is mounted when it first opens, and stays mounted while it closes. */
function useHasBeenTrue(isTrue: boolean): boolean {
  const [wasTrue, setTrue] = useState(isTrue);
  if (isTrue && !wasTrue) setTrue(true);
  return wasTrue;
}

function ShownView({ view }: { view: View }) {
  switch (view) {
    case 'canvas':
      return (
        <ReactFlowProvider>
          <Canvas />
        </ReactFlowProvider>
      );
    case 'list':
      return <ListView />;
    case 'text':
      return <TextView />;
    default:
      return <CompareTab />;
  }
}

/** A function that gives the variables at a field, from the flow as it is at the call. */
function useVariables(pid: string, connectors: readonly ConnectorAnswer[], store: EditorStore): Editor['variablesAt'] {
  const { data: matrix } = useQuery(matrixQuery(pid));
  const { data: vaultKeys } = useQuery(allowedKeysQuery(pid));
  return useMemo(() => {
    const automatic = new Map<string, readonly string[]>(connectors.map(({ type, variables }) => [type, variables]));
    return (step, field) =>
      variablesAt(store.flow, step, field, {
        matrix: matrix ?? [],
        vaultKeys: vaultKeys ?? [],
        automatic,
      });
  }, [connectors, store, matrix, vaultKeys]);
}
