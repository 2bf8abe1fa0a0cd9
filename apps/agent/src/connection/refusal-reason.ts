import type { IncomingMessage } from 'node:http';

const MAX_ANSWER_CHARACTERS = 4_096;
const ANSWER_TIME_LIMIT_MS = 2_000;

/**
 * The message in the error envelope of the router's answer to a refused upgrade request; undefined for the answer of another server, such as a
 * proxy, and for one that is too large or too slow. Never rejects.
 */
export async function refusalReason(answer: IncomingMessage): Promise<string | undefined> {
  const timer = setTimeout(() => answer.destroy(), ANSWER_TIME_LIMIT_MS);
  try {
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      text += String(chunk);
      if (text.length > MAX_ANSWER_CHARACTERS) return undefined;
    }
    const { message }: { message?: unknown } = Object(Object(JSON.parse(text)).error);
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
