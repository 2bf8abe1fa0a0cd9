import type { MappingEntry } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { addCapture } from './captures';
import { addOrigin, addVariable, publishVersion, registerProcess } from './registry';

export interface OriginWithCapture {
  processID: string;
  id: string;
  captureID: string;
  /** Variable ids by name. */
  ids: Record<'total' | 'client' | 'token', string>;
  versionID: string | null;
}

export const CAPTURED_BODY = JSON.stringify({
  total: '10,5',
  amount: 20,
  card: { number: 'card-4111', holder: 'Ana' },
  empty: null,
});

/** Inserts a process with an origin named Store and a capture; each mapping entry is a pointer and the name of a variable. */
export async function addOriginWithCapture(
  store: Store,
  mapping: { saved?: [string, string][]; unsaved?: [string, string][]; published?: [string, string][] } = {},
  captured = { body: CAPTURED_BODY },
): Promise<OriginWithCapture> {
  const { processID } = await registerProcess(store);
  const ids = {
    total: await addVariable(store, processID, 'total', 'Moeda'),
    client: await addVariable(store, processID, 'client', 'Objeto'),
    token: await addVariable(store, processID, 'token', 'Secreto'),
  };
  const idOf = new Map(Object.entries(ids));
  const entries = (named: [string, string][] = []) =>
    named.map(([pointer, name]): MappingEntry => ({ pointer, variableId: idOf.get(name) ?? '' }));
  const id = await addOrigin(store, processID, {
    saved: entries(mapping.saved),
    ...(mapping.unsaved && { unsaved: entries(mapping.unsaved) }),
  });
  const versionID = mapping.published
    ? await publishVersion(store, processID, [{ originID: id, entries: entries(mapping.published) }])
    : null;
  return { processID, id, captureID: await addCapture(store, id, captured), ids, versionID };
}
