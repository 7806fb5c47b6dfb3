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
