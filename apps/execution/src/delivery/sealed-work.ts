import type { InstanceWork } from '@batuta/contracts';
import { RawJson, stringifyWithRaw } from '@batuta/json';
import type { OfferSealer } from '@batuta/secrets';
import { mayNeedSealing, needsSealing } from '../abilities/sealing-need';

/**
 * Seals the secret values of an instance, those of the vault and of type Secreto, into one box. Only the agent that
 * gets the work can open the box, and only for this claim. Work without secret values is returned unchanged.
 */
export function sealWork(work: InstanceWork, seal: OfferSealer): InstanceWork {
  const { secret, open } = splitMatrix(work.matrix);
  if (!secret && Object.keys(work.vault).length === 0) return work;
  const { json } = stringifyWithRaw({ matrix: secret ?? [], vault: work.vault });
  return { ...work, matrix: open, vault: {}, sealed: seal(json, work) };
}

/** Large values are not parsed here: `mayNeedSealing` decides about them as a whole. */
function splitMatrix(matrix: InstanceWork['matrix']): { secret?: unknown; open: InstanceWork['matrix'] } {
  if (!mayNeedSealing(matrix)) return { open: matrix };
  const unparsed: unknown = matrix;
  if (unparsed instanceof RawJson) return { secret: unparsed, open: [] };
  return { secret: matrix.filter(needsSealing), open: matrix.filter((variable) => !needsSealing(variable)) };
}
