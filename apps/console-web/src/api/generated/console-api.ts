// The types of the management API, which `npm run openapi` makes from docs/openapi/console.json.
export type * from '../../../../../libs/client/src/generated/console-types';
