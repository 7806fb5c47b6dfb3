/** The text with another last character: an id that was never issued, or a wrong secret. */
export const mistyped = (text: string): string => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
