import type { OriginAnswer, OriginChange } from '../../api/generated/console-api';

/** The choice of the signature rule: none, keep the existing rule, or set one with the typed secret. */
export type SignatureChoice = 'none' | 'keep' | 'set';

/** What the form of an origin holds. An emptied number field holds an empty text. */
export type OriginValues = Pick<OriginAnswer, 'name' | 'responseMode'> & {
  waitSeconds: number | string;
  choice: SignatureChoice;
  signature: { header: string; secret: string; toleranceSeconds: number | string };
};

export const NEW_ORIGIN: OriginValues = {
  name: '',
  responseMode: 'Imediata',
  waitSeconds: 30,
  choice: 'none',
  signature: { header: '', secret: '', toleranceSeconds: '' },
};

/** The values of the form for an existing origin; the field of the secret is empty, because no call reads the secret. */
export function originValuesOf({ name, responseMode, waitSeconds, signature }: OriginAnswer): OriginValues {
  return {
    name,
    responseMode,
    waitSeconds,
    choice: signature ? 'keep' : 'none',
    signature: {
      header: signature?.header ?? '',
      secret: '',
      toleranceSeconds: signature?.toleranceSeconds ?? '',
    },
  };
}

/** The body for the API with all values of the form; without `signature` the API keeps the existing rule. */
export function originBodyOf(values: OriginValues): OriginChange & { name: string } {
  const { name, responseMode, waitSeconds, choice } = values;
  const body = { name, responseMode, ...(responseMode === 'Aguardar' && { waitSeconds: Number(waitSeconds) }) };
  if (choice === 'keep') return body;
  if (choice === 'none') return { ...body, signature: null };
  const { header, secret, toleranceSeconds } = values.signature;
  return {
    ...body,
    signature: { header, secret, toleranceSeconds: toleranceSeconds === '' ? null : Number(toleranceSeconds) },
  };
}

/** The settings of an origin that its form changes, without the secret of the signature. */
export type OriginSettings = Pick<OriginAnswer, 'name' | 'responseMode' | 'waitSeconds'> & {
  signature: unknown;
};

export function settingsOf({ name, responseMode, waitSeconds, signature }: OriginAnswer): OriginSettings {
  return { name, responseMode, waitSeconds, signature };
}

/** The settings after the edit. A new secret makes another signature rule, even under the same header. */
export function editedSettings(origin: OriginAnswer, values: OriginValues): OriginSettings {
  const { name, responseMode, choice } = values;
  const waitSeconds = responseMode === 'Aguardar' ? Number(values.waitSeconds) : origin.waitSeconds;
  const { header, toleranceSeconds } = values.signature;
  const signatures = { none: null, keep: origin.signature, set: { header, toleranceSeconds, isNew: true } };
  return { name, responseMode, waitSeconds, signature: signatures[choice] };
}

/** The body for the API with only the changed settings; the signature, with its secret, comes from the form. */
export function changeOf(values: OriginValues, changed: Partial<OriginSettings>): OriginChange {
  const { signature, ...others } = changed;
  return { ...others, ...(signature !== undefined && { signature: originBodyOf(values).signature }) };
}
