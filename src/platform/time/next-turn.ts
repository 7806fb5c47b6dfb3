/** Lets others have their turn: what takes long waits for this between its stretches. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
