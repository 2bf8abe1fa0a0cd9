export { KeyRing } from './key-ring';
