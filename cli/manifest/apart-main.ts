/** The process of `apart.ts`: sends the manifest of one module, or the error. */
import { describe } from '../terminal/failure.ts'
import type { Answer } from './apart.ts'
import { loadManifest } from './file.ts'

async function answer(): Promise<Answer> {
  try {
    const { manifest } = await loadManifest(process.argv[2])
    // a value that JSON does not have is an error of the module
    return { manifest: JSON.parse(JSON.stringify(manifest)) }
  } catch (error) {
    const { exit, code, message, hints } = describe(error)
    return { error: { exit, code, message, hints } }
  }
}

void answer().then((answered) => process.send?.(answered))
