import { importOrReport } from '../../../load-failures';

/** Loads the module that reads and writes the files of processes, which most visits do not need. */
export const loadArchive = () => importOrReport(import('./process-archive'));
