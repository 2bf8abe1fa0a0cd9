import './flow-editor.css';
import { useMediaQuery } from '@mantine/hooks';
import { ReactFlowProvider } from '@xyflow/react';
import { useMemo, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../common/code-block';
import { stepNamed, type DraftFlow } from '../../flow/draft';
import { Canvas } from './canvas/canvas';
import { EditorProvider, type Editor } from './editor-context';
import { EditorStore } from './model/editor-store';
import { ListView } from './views/list-view';

/** A flow that cannot be changed: its drawing, or its list on a narrow screen, and the JSON of the step that the user opens. */
export function FlowView({ flow }: { flow: DraftFlow }) {
  const { t } = useTranslation('flow-editor');
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const store = useMemo(() => new EditorStore(flow), [flow]);
  const { open } = useSyncExternalStore(store.subscribe, store.getState);
  const editor = useMemo(
    (): Editor => ({
      pid: '',
      store,
      connectors: [],
      problems: [],
      variablesAt: () => [],
      visits: [],
      openPalette: () => undefined,
      canEdit: false,
    }),
    [store],
  );
  const step = open && stepNamed(flow, open.step);
  return (
    <EditorProvider value={editor}>
      <div className="flow-view">
        {isNarrow ? (
          <ListView />
        ) : (
          <ReactFlowProvider>
            <Canvas />
          </ReactFlowProvider>
        )}
      </div>
      {step && <CodeBlock label={t('view.step', { name: step.name })} code={JSON.stringify(step, null, 2)} />}
    </EditorProvider>
  );
}
