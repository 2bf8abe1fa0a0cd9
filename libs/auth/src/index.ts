export { bearerToken, hashSecret, matchesHash, mintCredential, mintSecret, parseCredential } from './tokens';
