import { QueryNumber, ResourceID } from './fields';

const LIMIT = { min: 1, max: 500, message: 'must be a whole number from 1 to 500' };

/** For lists that have no cursor. */
export class LimitQuery {
  @QueryNumber(LIMIT, { default: 100 })
  limit = 100;
}

/** For lists that are read page by page, newest first. */
export class PageQuery extends LimitQuery {
  @ResourceID({ optional: true, description: 'The id of the last item read.' })
  before?: string;
}
