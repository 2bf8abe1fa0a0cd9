export { addressKey } from './address';
export { FailureThrottle } from './failure-throttle';
export { bearerToken, hashSecret, matchesHash, mintCredential, mintSecret, parseCredential } from './tokens';
export {
  authenticate,
  authorizeProcess,
  PERMISSIONS,
  readCredential,
  readID,
  readProcessID,
  readProcessKey,
  requireActive,
  requireApiAccess,
  type AuthorizedProcess,
  type Caller,
  type Permission,
  type Permissions,
  type ProcessAccess,
  type ProcessKey,
} from './access';
export { authorizeHook, type Hook } from './hook';
