/** How long continued work takes of one turn of the event loop; the last piece may exceed it. */
const shareMs = 8

let since: number | undefined
const endShare = () => {
  since = undefined
}

function goOn(resolve: () => void) {
  const now = performance.now()
  if (since === undefined) {
    since = now
    setImmediate(endShare)
  } else if (now - since > shareMs) {
    // however many pieces wait: requests come in between
    setImmediate(goOn, resolve)
    return
  }
  resolve()
}

/** Yields to the event loop: long work calls this between its slices, of a few milliseconds each. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(goOn, resolve))

/** How long a slice of work holds the event loop. */
const sliceMs = 4

/** For a loop that calls the function after each piece of its work: yields whenever a slice is used up. */
export function slices(): () => Promise<void> {
  let until = performance.now() + sliceMs
  return async () => {
    if (performance.now() < until) return
    await nextTurn()
    until = performance.now() + sliceMs
  }
}
