/** The type of a UUID as text. */
export const ID_TYPE = 'char(36) CHARACTER SET ascii COLLATE ascii_bin';
/** The type of a time in UTC with milliseconds. */
export const TIME_TYPE = 'datetime(3)';
export const TABLE_OPTIONS = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci';
