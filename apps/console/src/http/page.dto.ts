import { QueryNumberField, ResourceIDField } from './fields';
import { IntegerField } from './response-fields';

const PAGE_LIMIT_RANGE = { min: 1, max: 500, message: 'must be a whole number from 1 to 500' };

/** The query of lists without a cursor, and the base of queries with a cursor of another kind than `PageQuery`. */
export class LimitQuery {
  @QueryNumberField(PAGE_LIMIT_RANGE, { default: 100, description: 'The maximum number of items of the answer.' })
  limit = 100;
}

/** The query of lists that are read page by page, newest first. */
export class PageQuery extends LimitQuery {
  @ResourceIDField({ optional: true, description: 'The id of the last item read: only older items.' })
  before?: string;
}

/** In an answer whose items are numbered: the number to send as `?before=` for the next older page. */
export class NumberCursor {
  @IntegerField()
  before!: number;
}
