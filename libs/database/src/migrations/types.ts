/** A UUID as text. */
export const ID = 'char(36) CHARACTER SET ascii COLLATE ascii_bin';
/** UTC, milliseconds. */
export const TIME = 'datetime(3)';
export const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci';
