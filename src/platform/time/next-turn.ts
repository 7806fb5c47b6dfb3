/** Yields to the event loop: long work calls this between its slices. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
