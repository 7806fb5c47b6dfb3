/** Texts that are made when they are first asked for, and kept. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const gzipBeside = promisify(gzip)
/** Others have their turn when so much time has passed. */
const pieceMs = 4

export interface Compressed {
  plain: string
  gzipped: Uint8Array<ArrayBuffer>
}

/** The text with its compressed form, made beside the event loop. */
export async function compressed(text: string) {
  return { plain: text, gzipped: new Uint8Array(await gzipBeside(text)) }
}

/** The pieces as one text; between them the event loop goes on. */
export async function inPieces(pieces: Iterable<string>): Promise<string> {
  const made: string[] = []
  let since = performance.now()
  for (const piece of pieces) {
    made.push(piece)
    if (performance.now() - since < pieceMs) continue
    await new Promise(setImmediate)
    since = performance.now()
  }
  return made.join('\n')
}

/** What `make` makes, which is called once. */
export function once<Made>(make: () => Made): () => Made {
  let kept: { made: Made } | undefined
  return () => {
    kept ??= { made: make() }
    return kept.made
  }
}
