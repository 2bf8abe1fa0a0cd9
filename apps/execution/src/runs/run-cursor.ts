import { ApiError } from '@batuta/errors';
import type { RunPosition } from './visible-runs';

const CURSOR = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The cursor after an instance, as text. A cursor is a position and not the id of an instance, because retention may have deleted that instance. */
export function formatRunCursor({ acceptedAt, instanceID }: RunPosition): string {
  return `${acceptedAt.getTime()}.${instanceID}`;
}

/** Throws BAD_REQUEST for a text that is no cursor. */
export function parseRunCursor(text: string): RunPosition {
  const [, milliseconds, instanceID] = CURSOR.exec(text) ?? [];
  if (milliseconds === undefined || instanceID === undefined) {
    throw new ApiError('BAD_REQUEST', 'before: is not the cursor of a page; send the text in `older`');
  }
  return { acceptedAt: new Date(Number(milliseconds)), instanceID };
}
