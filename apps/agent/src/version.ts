/** The release, as in package.json; agents send it in `hello`. */
export const AGENT_VERSION = '0.1.0';
