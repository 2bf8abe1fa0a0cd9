export { guardedFetch } from './guarded-fetch';
