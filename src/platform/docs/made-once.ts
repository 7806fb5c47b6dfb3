/** Texts that are built on first use and cached. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { slices } from '../time/next-turn.ts'

const gzipBeside = promisify(gzip)

export interface Compressed {
  plain: Blob
  gzipped: Uint8Array<ArrayBuffer>
}

/** The bytes of the text, and their compressed form, which is made off the event loop. */
export async function compressed(text: string): Promise<Compressed> {
  const plain = new TextEncoder().encode(text)
  return { plain: new Blob([plain]), gzipped: new Uint8Array(await gzipBeside(plain)) }
}

/** Joins the pieces; pauses for other work in between. */
export async function inPieces(pieces: Iterable<string>): Promise<string> {
  const made: string[] = []
  const turn = slices()
  for (const piece of pieces) {
    made.push(piece)
    await turn()
  }
  return made.join('\n')
}

/** Calls `make` once and caches the result. */
export function once<Made>(make: () => Made): () => Made {
  let kept: { made: Made } | undefined
  return () => {
    kept ??= { made: make() }
    return kept.made
  }
}
