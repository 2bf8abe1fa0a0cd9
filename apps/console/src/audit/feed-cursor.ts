import { ApiError } from '@batuta/errors';
import { MIN_EVENT_ID } from './management-events.repository';

/** How far a reader of the feed has come in each of its two sources. */
export interface FeedPosition {
  /** The id of the last event of management that was read; MIN_EVENT_ID before the first. */
  management: string;
  /** The number of the last event of an instance that was read; 0 before the first. */
  instances: number;
}

/** A cursor as text: the id of the last event of management, or 0 before the first, then a dot, and the number of the last event of an instance. */
export const FEED_CURSOR_PATTERN =
  /^(?:0|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.(?:0|[1-9][0-9]{0,14})$/;
export const NOT_A_FEED_CURSOR_MESSAGE = 'is not the text in `next`';

export const FEED_BEGIN: FeedPosition = { management: MIN_EVENT_ID, instances: 0 };

/** Throws BAD_REQUEST for a text that is no cursor. */
export function readFeedCursor(text: string): FeedPosition {
  if (!FEED_CURSOR_PATTERN.test(text)) throw new ApiError('BAD_REQUEST', `after: ${NOT_A_FEED_CURSOR_MESSAGE}`);
  const [management = '0', instances] = text.split('.');
  return { management: management === '0' ? MIN_EVENT_ID : management, instances: Number(instances) };
}

export function writeFeedCursor({ management, instances }: FeedPosition): string {
  return `${management === MIN_EVENT_ID ? '0' : management}.${instances}`;
}
