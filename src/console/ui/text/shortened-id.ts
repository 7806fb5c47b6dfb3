/** An id without its middle, since its end identifies it. */
export const shortenedId = (id: string): string => (id.length > 18 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id)
