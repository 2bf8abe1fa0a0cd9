import type { OriginAnswer, VariableAnswer } from '../../api/generated/console-api';
import { exampleMatrix, inShell, jsonText } from '../processes/keys/snippets';

/** Sent when the Matrix has no variable that a caller would fill. */
const EXAMPLE_BODY = { order: { number: 1, customer: 'Ana' } };

/**
 * A curl command that calls a URL of an origin with a field for each variable. A signed call reads the shared secret from the environment
 * variable BATUTA_WEBHOOK_SECRET. Every origin accepts the form of its signature, the secret of Standard Webhooks as text included; it has a
 * timestamp, which an origin with a tolerance needs. The commands are one list, so that a terminal without the secret runs none of them.
 */
export function exampleCall(
  url: string,
  { signature, matrix }: Pick<OriginAnswer, 'signature'> & { matrix: readonly VariableAnswer[] },
): string {
  const filled = matrix.filter(({ type }) => type !== 'Secreto');
  const body = inShell(jsonText(filled.length === 0 ? EXAMPLE_BODY : exampleMatrix(filled)));
  const call = [`curl -X POST ${inShell(url)}`, `-H 'Content-Type: application/json'`];
  if (!signature) return [...call, `-d ${body}`].join(' \\\n  ');
  return [
    ': "${BATUTA_WEBHOOK_SECRET:?set it to the shared secret of this origin}"',
    `body=${body}`,
    'time=$(date +%s)',
    `signature=$(printf %s "$time.$body" | openssl dgst -sha256 -hmac "$BATUTA_WEBHOOK_SECRET" -r | cut -d ' ' -f 1)`,
    [...call, `-H ${inShell(`${signature.header}: t=`)}"$time,v1=$signature"`, '-d "$body"'].join(' \\\n  '),
  ].join(' &&\n');
}
