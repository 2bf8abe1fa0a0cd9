import { createContext, useContext, useSyncExternalStore } from 'react';
import type { ConnectorAnswer } from '../../api/generated/console-api';
import type { EditorState } from './model/editor-state';
import type { EditorStore } from './model/editor-store';
import type { PlacedProblem } from './model/problems';
import type { Visit } from './model/run-path';
import type { KnownVariable } from './model/variables';

/** What all parts of one flow's editor share, also in a view that cannot be edited. */
export interface Editor {
  /** The id of the process that has the flow; empty in `FlowView`. */
  pid: string;
  store: EditorStore;
  connectors: readonly ConnectorAnswer[];
  /** The problems and warnings of the flow and of texts that are no JSON, in the user's language. */
  problems: readonly PlacedProblem[];
  /** The variables that completion offers at a field, given by its JSON Pointer within the step. */
  variablesAt: (step: string, field: string) => readonly KnownVariable[];
  /** The visits of the debug run that is shown; empty when none is. */
  visits: readonly Visit[];
  /** Opens the list of step types; the chosen type becomes a new step at the target. */
  openPalette: (target: PaletteTarget) => void;
  /** True in the editor; false in `FlowView`, which shows the flow of a published version. */
  canEdit: boolean;
}

/** Where the chosen step is added: free = where `EditorStore.add` puts it, after = with a route from a step, into = within a route. */
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
