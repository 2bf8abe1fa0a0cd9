/** Processes of one page: the cost of a statement stays small also for a company that deletes processes all day. */
export const PROCESS_PAGE_SIZE = 500;

/**
 * A page of the processes of a company after an id, deleted ones included, by their ids. Its parameters: company and id, twice.
 */
export const PAGE_OF_PROCESSES = `SELECT process_id FROM (
   (SELECT process_id FROM process WHERE company_id = ? AND process_id > ? ORDER BY process_id LIMIT ${PROCESS_PAGE_SIZE})
   UNION
   (SELECT process_id FROM deleted_process WHERE company_id = ? AND process_id > ? ORDER BY process_id LIMIT ${PROCESS_PAGE_SIZE})
  ) processes ORDER BY process_id LIMIT ${PROCESS_PAGE_SIZE}`;
