import type { OfferFrame } from '@batuta/agent-protocol';
import type { AgentPrivateKey } from '@batuta/secrets';
import type { RunInstance } from './accepted-instance';
import { clearOffer } from './clear-offer';

/** The values in the box of an offer. */
type SecretValues = Pick<OfferFrame, 'matrix' | 'vault'>;

const UNOPENED_MESSAGE =
  'The secret values of this execution cannot be opened: they were sealed to another key or for another execution, or were changed ' +
  'on their way. Compare the fingerprint of the agent’s key with the one that the console shows';

/**
 * Wraps the running of instances: opens their secret values right before the flow begins. An instance whose box does
 * not open ends in error and runs no step.
 */
export function withOpenedValues(run: RunInstance, key: AgentPrivateKey): RunInstance {
  return async (offer, control, sink) => {
    const opened = openOffer(offer, key);
    if (opened) return run(opened, control, sink);
    const message = `The execution failed: ${UNOPENED_MESSAGE} (this agent: ${key.publicKey.fingerprint}).`;
    await sink.log({ timestamp: new Date().toISOString(), severity: 'ERROR', message, stepID: '' });
    return { outcome: 'ERROR', errorStep: null, errorMessage: message };
  };
}

/** A copy of the offer with all its values, which the offer then lacks; undefined when its box does not open with this key. */
function openOffer(offer: OfferFrame, key: AgentPrivateKey): OfferFrame | undefined {
  const { sealed, ...open } = offer;
  if (sealed === undefined) return offer;
  const secret = readBox(sealed, offer, key);
  if (!secret) return undefined;
  const opened = { ...open, matrix: [...offer.matrix, ...secret.matrix], vault: { ...offer.vault, ...secret.vault } };
  // The agent refers to the offer until the end is acknowledged; the runner deletes the values of the copy only.
  clearOffer(offer);
  return opened;
}

/** Drops a parse error, because its message could quote a value. */
function readBox(sealed: string, offer: OfferFrame, key: AgentPrivateKey): SecretValues | undefined {
  try {
    const values: unknown = JSON.parse(key.open(sealed, offer));
    return isSecretValues(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

function isSecretValues(values: unknown): values is SecretValues {
  if (typeof values !== 'object' || values === null || !('matrix' in values) || !('vault' in values)) return false;
  const { matrix, vault } = values;
  if (!Array.isArray(matrix) || typeof vault !== 'object' || vault === null) return false;
  return matrix.every(isVariable) && Object.values(vault).every((value) => typeof value === 'string');
}

function isVariable(value: unknown): boolean {
  const { name, type }: { name?: unknown; type?: unknown } = Object(value);
  return typeof name === 'string' && typeof type === 'string';
}
