import type {
  MappingAnswer,
  MappingEntryAnswer,
  PreviewedValue,
  VariableAnswer,
} from '../../api/generated/console-api';

/** The mapping that the editor changes: the unsaved one, also an empty one, or else the saved one. */
export function editedMapping({ unsaved, saved }: MappingAnswer): MappingEntryAnswer[] {
  return unsaved ?? saved;
}

/** The draft in which the field at `pointer` fills the variable, in place of the field that filled it before. */
export function withField(draft: MappingEntryAnswer[], variableId: string, pointer: string): MappingEntryAnswer[] {
  return [...withoutVariable(draft, variableId), { pointer, variableId }];
}

export function withoutVariable(draft: MappingEntryAnswer[], variableId: string): MappingEntryAnswer[] {
  return draft.filter((entry) => entry.variableId !== variableId);
}

/** Whether the mapping fills a Secreto: saving such a mapping removes the fields that fill Secretos from the captures. */
export function fillsSecret(mapping: MappingEntryAnswer[], matrix: VariableAnswer[]): boolean {
  const secrets = new Set(matrix.filter(({ type }) => type === 'Secreto').map(({ id }) => id));
  return mapping.some(({ variableId }) => secrets.has(variableId));
}

/** The state of a mapping without unsaved changes, as the key of a text that says what to do next; undefined while there is nothing to map. */
export function mappingStage(
  { saved, published }: MappingAnswer,
  matrix: VariableAnswer[],
): 'unmapped' | 'inProduction' | 'publish' | undefined {
  const isPublished =
    saved.length === published.length &&
    saved.every((entry) =>
      published.some(({ variableId, pointer }) => variableId === entry.variableId && pointer === entry.pointer),
    );
  if (!isPublished) return 'publish';
  if (saved.length > 0) return 'inProduction';
  return matrix.length > 0 ? 'unmapped' : undefined;
}

/** A row of the preview: the values that the draft and the published mapping give a variable; undefined where a mapping does not fill it. */
export interface PreviewRow {
  variableId: string;
  /** The name of the variable; undefined when the variable was removed from the Matrix. */
  name: string | undefined;
  draft: PreviewedValue | undefined;
  published: PreviewedValue | undefined;
}

/** Pairs the values that the two mappings give to each variable that one of them fills; variables of the draft come first. */
export function compareMappings(draft: PreviewedValue[], published: PreviewedValue[]): PreviewRow[] {
  const ids = new Set([...draft, ...published].map(({ variableId }) => variableId));
  const valueOf = (list: PreviewedValue[], id: string) => list.find(({ variableId }) => variableId === id);
  return [...ids].map((variableId) => {
    const [now, before] = [valueOf(draft, variableId), valueOf(published, variableId)];
    return { variableId, name: now?.name ?? before?.name, draft: now, published: before };
  });
}
