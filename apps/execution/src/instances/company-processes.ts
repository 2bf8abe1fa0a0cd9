/** Maximum processes of one page, so that a statement stays cheap even for a company that deletes very many processes. */
export const PROCESS_PAGE_SIZE = 500;

/**
 * The ids of a company's processes that come after an id, deleted processes included, in ascending order. The
 * parameters are company and id, twice.
 */
export const PAGE_OF_PROCESSES = `SELECT process_id FROM (
   (SELECT process_id FROM process WHERE company_id = ? AND process_id > ? ORDER BY process_id LIMIT ${PROCESS_PAGE_SIZE})
   UNION
   (SELECT process_id FROM deleted_process WHERE company_id = ? AND process_id > ? ORDER BY process_id LIMIT ${PROCESS_PAGE_SIZE})
  ) processes ORDER BY process_id LIMIT ${PROCESS_PAGE_SIZE}`;
