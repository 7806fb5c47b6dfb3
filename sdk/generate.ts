/**
 * Writes the types and the operations of the SDK from the API document of a server of this source.
 *
 *     bun sdk/generate.ts           # writes them
 *     bun sdk/generate.ts --check   # exit code 1 when a file is not up to date
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/platform/operating/logger.ts'
import { startServer } from '../src/server/server.ts'
import type { ApiDocument } from './generate/document.ts'
import { generatedFiles } from './generate/write.ts'

/** The document, from a server that is started for this purpose. */
async function documentOfServer(): Promise<ApiDocument> {
  const home = mkdtempSync(join(tmpdir(), 'troupe-sdk-'))
  try {
    const { config } = readConfig({
      PORT: '0',
      TROUPE_STORE: `sqlite:${join(home, 'troupe.db')}`,
      TROUPE_RUNNER: 'none',
    })
    const server = await startServer(config, createLogger('fatal'))
    const answer = await fetch(`${server.url}/docs/json`)
    const document = (await answer.json()) as ApiDocument
    await server.stop()
    return document
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const checks = process.argv.includes('--check')
let isStale = false
for (const [name, text] of Object.entries(await generatedFiles(await documentOfServer()))) {
  const path = join(import.meta.dir, 'src/generated', name)
  if (!checks) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    isStale = true
    process.stderr.write(`${path} is not up to date: run bun sdk/generate.ts\n`)
  }
}
process.exit(isStale ? 1 : 0)
