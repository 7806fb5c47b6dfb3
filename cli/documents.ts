/** Reads documents from files, addresses and texts. Writes YAML that reads as the same value. */
import { readFileSync, statSync } from 'node:fs'
import { reasonOf } from '../sdk/src/client/errors.ts'
import { assertDocumentSize, documentIn } from '../src/platform/documents.ts'
import { usageError } from './terminal/exit-codes.ts'

/** Texts that the library reads as other ones unless they are quoted: only white space, or a byte order mark. */
const quoted = /^\s+$|\ufeff/

/** The value as YAML. */
export async function yamlOf(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml')
  // an object that occurs twice is written twice: an alias is hard to read, and to change
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && quoted.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  // in quotes, the library breaks lines in ways that it does not read back
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
}

/** The object in a file. Throws `usage`, or a `DocumentFault`. */
export async function readDocument(path: string): Promise<Record<string, unknown>> {
  try {
    assertDocumentSize(statSync(path).size, path)
    return await documentIn(readFileSync(path), path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw usageError(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${code}.`)
  }
}

/** The same for an address. */
export async function fetchDocument(address: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const answer = await fetch(address, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason
    throw usageError(`${address} cannot be read: ${reasonOf(error)}`)
  })
  if (!answer.ok) throw usageError(`${address} answered ${answer.status}.`)
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.body ?? []) {
    size += piece.byteLength
    assertDocumentSize(size, address)
    pieces.push(piece)
  }
  return documentIn(Buffer.concat(pieces), address)
}
