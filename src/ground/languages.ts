/** A language that clients are written to in: English, or Czech. */
export type Language = (typeof languages)[number];

export const languages = ['en', 'cs'] as const;
