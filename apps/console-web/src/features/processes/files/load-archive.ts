import { importOrReport } from '../../../load-failures';

/** The module with the files of processes, which most visits do not need. */
export const loadArchive = () => importOrReport(import('./process-archive'));
