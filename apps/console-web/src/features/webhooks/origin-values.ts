import type { OriginAnswer, OriginChange } from '../../api/generated/console-api';

/** The choice of the signature rule: none, keep the existing rule, or set one with the typed secret. */
export type SignatureChoice = 'none' | 'keep' | 'set';

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

export function valuesOf({ name, responseMode, waitSeconds, signature }: OriginAnswer): OriginValues {
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

/** The body for the API; without `signature` the existing rule is kept. */
export function bodyOf(values: OriginValues): OriginChange & { name: string } {
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
