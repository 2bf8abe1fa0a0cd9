import { x } from '@batuta/errors';
console.log(x);
