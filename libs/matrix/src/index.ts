export { MATRIX_TYPES, isMatrixType } from './types';
export type { MatrixType, MatrixValue, MatrixVariable, ValueSource } from './types';
export { convertValue, emptyValue } from './convert';
export { convertDefault, convertMatrix, publicDefinition, type MatrixDefinition } from './matrix';
export { formatForMachine, formatForPerson } from './format';
export { MAX_DEPTH, isTooDeep } from './nesting';
export { variableNameProblem } from './variable-name';
export { CURRENCY_CODES, CURRENCY_SYMBOLS } from './currency-marks';
