/** The release, as in package.json. */
export const CLI_VERSION = '0.1.0';
