/** The environment variables with which a script finds the client programs of MariaDB; missing ones are unpacked. */
export function ensureMariadbClients(): Promise<{ PATH: string; LD_LIBRARY_PATH: string }>;
