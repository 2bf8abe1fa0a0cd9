export { addressKey, withoutPort } from './address';
export { EMAIL_LENGTH, isEmail, normalizeEmail, readEmail, UNITS_PER_COMPOSED } from './email';
export { readID } from './id';
export { MinuteCounts } from './minute-counts';
export { messageOfUnknownSecret, UNKNOWN_SESSION_MESSAGE } from './misplaced-secret';
export { bearerToken, hashSecret, matchesHash, mintCredential, mintSecret, parseCredential } from './tokens';
export {
  authenticate,
  readCredential,
  refusalOfCaller,
  requireActive,
  requireApiAccess,
  requireUsableCredential,
  type AuthenticatedCaller,
} from './caller';
export {
  PERMISSIONS,
  readProcessID,
  readProcessKey,
  requireGranted,
  requireOwnedOrShared,
  requirePermission,
  requireUsableKey,
  requireValidKey,
  type AuthorizedProcess,
  type Permission,
  type Permissions,
  type ProcessAccess,
  type ProcessKeyState,
} from './process';
export { authorizeHook, type WebhookUrl } from './hook';
