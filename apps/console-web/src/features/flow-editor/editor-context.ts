import { createContext, useContext, useSyncExternalStore } from 'react';
import type { ConnectorAnswer } from '../../api/generated/console-api';
import type { EditorState } from './model/editor-state';
import type { EditorStore } from './model/editor-store';
import type { PlacedProblem } from './model/problems';
import type { Visit } from './model/run-path';
import type { KnownVariable } from './model/variables';

/** The state and the actions that all parts of one flow's editor share. */
export interface Editor {
  pid: string;
  store: EditorStore;
  connectors: readonly ConnectorAnswer[];
  problems: readonly PlacedProblem[];
  variablesAt: (step: string, field: string) => readonly KnownVariable[];
  /** The visits of the debug run that is shown. */
  visits: readonly Visit[];
  openPalette: (target: PaletteTarget) => void;
  /** False while the shown flow cannot be changed, such as that of a published version. */
  canEdit: boolean;
}

/** Where the next chosen step is added: after a step, or within a route. */
export type PaletteTarget =
  | { kind: 'free' }
  | { kind: 'after'; step: string; routes: 'routes' | 'onError' }
  | { kind: 'into'; step: string; routes: 'routes' | 'onError'; index: number };

const EditorContext = createContext<Editor | undefined>(undefined);
export const EditorProvider = EditorContext.Provider;

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('used outside the editor');
  return editor;
}

export function useEditorState(): EditorState {
  const { store } = useEditor();
  return useSyncExternalStore(store.subscribe, store.getState);
}
