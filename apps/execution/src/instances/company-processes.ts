/** A SELECT of the processes of a company, deleted ones included; its two parameters are both the company. */
export const PROCESSES_OF_COMPANY = `SELECT process_id FROM process WHERE company_id = ?
   UNION ALL SELECT process_id FROM deleted_process WHERE company_id = ?`;
