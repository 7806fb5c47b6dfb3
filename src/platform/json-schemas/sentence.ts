/** The library's words for a fault, which begin small and end without a period, as a sentence. */
export const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
