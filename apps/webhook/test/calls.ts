import type { HookCall, HookStart } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';

interface CalledOrigin {
  originID: string;
  processID: string;
}

/** A call of a webhook URL as the gateway sends it. A body that is neither a Buffer nor a string is serialized as JSON. */
export function createHookCall(called: CalledOrigin, body: unknown, given: Partial<HookCall> = {}): HookCall {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const { originID, processID } = called;
  return { originID, processID, body: bytes.toString('base64'), query: '', headers: {}, signed: false, ...given };
}

/** A call of a production URL, with the defaults of `createHookCall`. */
export function createHookStart(called: CalledOrigin, body: unknown, given: Partial<HookStart> = {}): HookStart {
  const own = { instanceID: uuid(), deadline: Date.now() + 10_000, originName: 'Store', versionID: null };
  return { ...createHookCall(called, body, given), ...own, ...given };
}
