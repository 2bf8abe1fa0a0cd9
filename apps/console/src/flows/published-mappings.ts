import type { MappingToPublish } from '@batuta/catalog';
import type { PublishedMapping } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';

/** Throws MAPPING_UNSAVED if an origin has unsaved entries: they can neither be published nor be left out silently (contract 9). */
export function refuseUnsavedMappings(origins: readonly MappingToPublish[]): void {
  const unsaved = origins.flatMap((origin) => (origin.unsaved ? [`"${origin.name}"`] : []));
  if (unsaved.length === 0) return;
  throw new ApiError(
    'MAPPING_UNSAVED',
    `The mapping has changes that were not saved, of the origin ${unsaved.join(', ')}.`,
  );
}

/** Returns one problem for each field that is mapped to a deleted variable (interpretation 26). */
export function deletedVariableProblems(
  origins: readonly MappingToPublish[],
  variableIDs: ReadonlySet<string>,
): string[] {
  return origins.flatMap(({ name, saved }) =>
    saved
      .filter(({ variableId }) => !variableIDs.has(variableId))
      .map(
        ({ pointer, variableId }) =>
          `origin "${name}": "${pointer}" is mapped to the variable ${variableId}, which is gone`,
      ),
  );
}

/** The saved mappings in the form in which a version stores them. */
export function toPublishedMappings(origins: readonly MappingToPublish[]): PublishedMapping[] {
  return origins.map(({ originID, saved }) => ({ originID, entries: saved }));
}
