/** Of the release, as in package.json; routers and people read it. */
export const AGENT_VERSION = '0.1.0';
